import { makeZip } from './make-zip.test-helper.ts';

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Writes relations with the ids `rId1`, `rId2`, … in this order. */
export function relations(...targets: readonly (readonly [type: string, target: string])[]): string {
  const all = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${TYPES}/${type}" Target="${target}"${/^\w+:/.test(target) ? ' TargetMode="External"' : ''}/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><Relationships>${all.join('')}</Relationships>`;
}

/** Creates a Word document with this body. */
export function makeDocx(body: string, parts: Readonly<Record<string, string>> = {}): Uint8Array {
  return makeZip({
    '_rels/.rels': relations(['officeDocument', 'word/document.xml']),
    'word/document.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<w:document xmlns:w="w"><w:body>${body}<w:sectPr/></w:body></w:document>`,
    'word/_rels/document.xml.rels': relations(
      ['styles', 'styles.xml'],
      ['numbering', 'numbering.xml'],
      ['footnotes', 'footnotes.xml'],
      ['hyperlink', 'https://example.com/a'],
    ),
    ...parts,
  });
}

/** Writes a paragraph of Word. */
export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** Creates a workbook from the content of `worksheet` of each sheet, by name. */
export function makeXlsx(
  sheets: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, string>> = {},
): Uint8Array {
  const names = Object.keys(sheets);
  const list = names.map((name, index) => {
    const state = name.startsWith('Hidden') ? ' state="hidden"' : '';
    return `<sheet name="${name}" sheetId="${index + 1}"${state} r:id="rId${index + 3}"/>`;
  });
  return makeZip({
    '_rels/.rels': relations(['officeDocument', '/xl/workbook.xml']),
    'xl/workbook.xml': `<workbook><workbookPr/><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles.xml'],
      ...names.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
    ),
    ...Object.fromEntries(
      names.map((name, index) => [`xl/worksheets/sheet${index + 1}.xml`, `<worksheet>${sheets[name]}</worksheet>`]),
    ),
    ...parts,
  });
}

/** Writes a row of a sheet with texts, from its first column. */
export function sheetRow(number: number, ...cells: readonly string[]): string {
  const written = cells.map((text) => (text.startsWith('<') ? text : `<c t="inlineStr"><is><t>${text}</t></is></c>`));
  return `<row r="${number}">${written.join('')}</row>`;
}

/** Creates slides from their shape trees; a hidden one starts with `HIDDEN`. */
export function makePptx(slides: readonly string[], parts: Readonly<Record<string, string>> = {}): Uint8Array {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join('');
  return makeZip({
    '_rels/.rels': relations(['officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...slides.map((_, index) => ['slide', `slides/slide${index + 1}.xml`] as const),
    ),
    ...Object.fromEntries(
      slides.map((slide, index) => [
        `ppt/slides/slide${index + 1}.xml`,
        `<p:sld${slide.startsWith('HIDDEN') ? ' show="0"' : ''}><p:cSld><p:spTree>${slide.replace('HIDDEN', '')}</p:spTree></p:cSld></p:sld>`,
      ]),
    ),
    ...parts,
  });
}

/** Writes a shape of a slide with its kind of placeholder and its lines. */
export function shape(placeholder: string, ...lines: readonly string[]): string {
  const text = lines.map((line) => `<a:p>${line.startsWith('<') ? line : `<a:r><a:t>${line}</a:t></a:r>`}</a:p>`);
  return `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${text.join('')}</p:txBody></p:sp>`;
}

/** Creates an OpenDocument file with these automatic styles and this body. */
export function makeOpenDocument(styles: string, body: string): Uint8Array {
  return makeZip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<?xml version="1.0"?><office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
  });
}

/** Creates a book with a chapter for each page. */
export function makeEpub(title: string, pages: readonly string[]): Uint8Array {
  const items = pages.map((_, n) => `<item id="c${n}" href="text/c%20${n}.xhtml" media-type="application/xhtml+xml"/>`);
  const order = pages.map((_, n) => `<itemref idref="c${n}"/>`);
  return makeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf': `<package><metadata><dc:title>${title}</dc:title><dc:creator>A. Writer</dc:creator></metadata><manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${items.join('')}</manifest><spine><itemref idref="n"/>${order.join('')}</spine></package>`,
    'OEBPS/nav.xhtml': '<html><body>Contents</body></html>',
    ...Object.fromEntries(pages.map((page, n) => [`OEBPS/text/c ${n}.xhtml`, page])),
  });
}
