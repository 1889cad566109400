import { constants, deflateRawSync } from 'node:zlib';
import { makeDocx, makeEpub, makePptx } from './office/make-office.test-helper.ts';
import { makeZip } from './office/make-zip.test-helper.ts';

/** Returns deflated zeros of this many megabytes, a thousandth of their size: the same block again and again. */
function zeros(megabytes: number, before = ''): Uint8Array {
  const flush = { finishFlush: constants.Z_FULL_FLUSH, level: 9 };
  const block = deflateRawSync(Buffer.alloc(10_000_000), flush);
  const start = deflateRawSync(Buffer.from(before), flush);
  return Buffer.concat([start, ...Array.from({ length: megabytes / 10 }, () => block), deflateRawSync('')]);
}

/** Returns an archive whose part `name` unpacks to this many megabytes, and says that it has four gigabytes. */
function zipBomb(name: string, megabytes = 100): Uint8Array {
  return makeZip([{ name, content: '', packed: zeros(megabytes, '<document>'), size: 4_000_000_000 }]);
}

/** Returns an archive whose entries all point to the same bytes: a million copies of a part in little space. */
function overlappingZip(count: number): Uint8Array {
  const whole = Buffer.from(makeZip({ 'word/document.xml': `<document>${'x'.repeat(1000)}</document>` }));
  const at = whole.indexOf('PK\u0001\u0002');
  const end = whole.indexOf('PK\u0005\u0006');
  const entry = whole.subarray(at, end);
  const tail = Buffer.from(whole.subarray(end));
  tail.writeUInt16LE(count % 65_536, 8);
  tail.writeUInt16LE(count % 65_536, 10);
  tail.writeUInt32LE(entry.length * count, 12);
  return Buffer.concat([whole.subarray(0, at), ...Array.from({ length: count }, () => entry), tail]);
}

/** Writes a PDF of these objects, numbered from 1; the first is its catalog. Streams are given with their bytes. */
function pdf(objects: readonly (string | { readonly head: string; readonly stream: Uint8Array })[]): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n')];
  let length = parts[0]?.length ?? 0;
  const offsets = objects.map((object, index) => {
    const offset = length;
    const body =
      typeof object === 'string'
        ? Buffer.from(object)
        : Buffer.concat([
            Buffer.from(`<< /Length ${object.stream.length} ${object.head} >>\nstream\n`),
            object.stream,
            Buffer.from('\nendstream'),
          ]);
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    parts.push(part);
    length += part.length;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const trailer = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(trailer)]);
}

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const PAGES = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const page = (resources = '/Font << /F1 5 0 R >>'): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << ${resources} >> >>`;
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const words = { head: '', stream: Buffer.from('BT /F1 12 Tf 20 100 Td (words) Tj ET') };
const zlib = (raw: Uint8Array): Uint8Array => Buffer.concat([Buffer.from([0x78, 0xda]), raw]);

/** Creates hostile PDFs. */
function pdfBombs(): Record<string, () => Uint8Array> {
  const font =
    '<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>';
  const descendant = '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << >> >>';
  const map = `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${'1 beginbfrange <0000> <ffff> <0041> endbfrange '.repeat(20_000)}endcmap`;
  const form = (inner: string): { head: string; stream: Uint8Array } => ({
    head: '/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /X 6 0 R /Y 7 0 R >> >>',
    stream: Buffer.from(inner),
  });
  return {
    'flate.pdf': () =>
      pdf([CATALOG, PAGES, page(), { head: '/Filter /FlateDecode', stream: zlib(zeros(10_000)) }, FONT]),
    'flates.pdf': () =>
      pdf([
        CATALOG,
        PAGES,
        page(),
        {
          head: '/Filter [/FlateDecode /FlateDecode]',
          stream: zlib(deflateRawSync(Buffer.from(zlib(zeros(10_000))))),
        },
        FONT,
      ]),
    'kids.pdf': () => pdf([CATALOG, '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>']),
    'count.pdf': () => pdf([CATALOG, '<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>', page(), words, FONT]),
    'pages.pdf': () =>
      pdf([CATALOG, `<< /Type /Pages /Kids [${'3 0 R '.repeat(1_000_000)}] /Count 1000000 >>`, page(), words, FONT]),
    'forms.pdf': () =>
      pdf([
        CATALOG,
        PAGES,
        page('/XObject << /X 6 0 R >>'),
        { head: '', stream: Buffer.from('/X Do') },
        FONT,
        form('/Y Do /Y Do'),
        form('/X Do /X Do'),
      ]),
    'cmap.pdf': () =>
      pdf([
        CATALOG,
        PAGES,
        page(),
        { head: '', stream: Buffer.from('BT /F1 12 Tf <0041> Tj ET') },
        font,
        descendant,
        { head: '', stream: Buffer.from(map) },
      ]),
    'deep.pdf': () => pdf([CATALOG, PAGES, page(`/X ${'['.repeat(1_000_000)}`), words, FONT]),
    'xref.pdf': () =>
      Buffer.from(
        '%PDF-1.5\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 1 /Root 1 0 R /Prev 9 >>\nstartxref\n9\n%%EOF\n',
      ),
    'objects.pdf': () =>
      Buffer.from(
        '%PDF-1.5\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n3 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Extends 3 0 R /Length 3 0 R >>\nstream\n2 0 3 0 R\nendstream\nendobj\n4 0 obj\n<< /Type /XRef /Size 5 /W [1 2 1] /Root 1 0 R /Index [0 5] /Length 20 >>\nstream\n\0\0\0\0\u0001\0\u0009\0\u0002\0\u0003\0\u0002\0\u0003\0\u0001\0\u0001\0\nendstream\nendobj\nstartxref\n150\n%%EOF\n',
        'latin1',
      ),
  };
}

/** Functions that create hostile documents, by file names with their format. */
function bombMakers(): Record<string, () => Uint8Array> {
  const text = (content: string): Uint8Array => Buffer.from(content);
  const nested = makeZip({ 'word/document.xml': makeZip({ 'word/document.xml': makeZip({ x: '' }) }) });
  const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY b${n} "${`&b${n - 1};`.repeat(10)}">`).join('')}]>`;
  return {
    // Ends at the limit of a part; the others at the maximum compression ratio of a part.
    'zeros.docx': () => zipBomb('word/document.xml', 10_000),
    'zeros.xlsx': () => zipBomb('xl/workbook.xml'),
    'zeros.pptx': () => zipBomb('ppt/presentation.xml'),
    'zeros.odt': () => zipBomb('content.xml'),
    'zeros.epub': () => zipBomb('META-INF/container.xml'),
    'nested.docx': () => nested,
    'entries.docx': () =>
      makeZip(Array.from({ length: 66_000 }, (_, n) => ({ name: `${n}`, content: '', packed: Buffer.from([3, 0]) }))),
    'overlapping.docx': () => overlappingZip(200_000),
    'outside.docx': () => makeZip({ '../../etc/passwd': 'x' }),
    'laughs.docx': () => makeDocx('', { 'word/document.xml': `${laughs}<document>&b8;</document>` }),
    'deep.docx': () => makeDocx('<w:tbl><w:tr><w:tc>'.repeat(1_000_000)),
    'attributes.pptx': () => makePptx([`<p:sp ${Array.from({ length: 300_000 }, (_, n) => `a${n}="x"`).join(' ')}/>`]),
    'line.epub': () => makeEpub('x', [`<html><p>${'word '.repeat(11_000_000)}</p></html>`]),
    'divs.html': () => text('<div>'.repeat(1_000_000)),
    'attributes.html': () => text(`<p ${Array.from({ length: 1_000_000 }, (_, n) => `a${n}`).join(' ')}>words</p>`),
    'spans.html': () =>
      text(`<table>${'<tr><td colspan=1000000000 rowspan=1000000000>cell</td></tr>'.repeat(10_000)}</table>`),
    'entities.html': () => text(`<p>${'&CounterClockwiseContourIntegral;'.repeat(300_000)}</p>`),
    'comments.html': () => text('<!--'.repeat(1_000_000)),
    'lists.md': () => text(Array.from({ length: 1_000 }, (_, n) => `${'  '.repeat(n)}- item ${n}\n`).join('')),
    'quotes.md': () => text(`${'>'.repeat(1_000_000)} words\n`),
    'brackets.md': () => text(`${'['.repeat(5_000_000)}\n===\n`),
    'emphasis.md': () => text(`${'*a_ '.repeat(2_000_000)}\n`),
    'line.txt': () => text('x'.repeat(19_000_000)),
    'blank.txt': () => text(`${' '.repeat(15_000_000)}x`),
    'columns.csv': () => text(`${'a,'.repeat(1_000_000)}\n${'1,'.repeat(1_000_000)}\n`),
    'quotes.csv': () => text('"'.repeat(3_000_000)),
    'rows.csv': () => text(`${'a,'.repeat(5_000)}\n`.concat('1\n'.repeat(1_000_000))),
    'deep.ts': () => text('('.repeat(900_000)),
    'deep.py': () => text('['.repeat(900_000)),
    'deep.cpp': () => text('{'.repeat(900_000)),
    'templates.cpp': () => text('a<'.repeat(450_000)),
    'deep.ipynb': () => text(`{"cells":${'['.repeat(1_000_000)}`),
    'broken.txt': () => Uint8Array.from({ length: 15_000_000 }, (_, n) => (n % 3 === 0 ? 0xff : 0xc3)),
    'half.txt': () => Uint8Array.from({ length: 1_000_001 }, (_, n) => (n < 2 ? [0xff, 0xfe][n] : 0xd8) ?? 0),
    'front.md': () =>
      text(
        `---\na: &a [${'x,'.repeat(2_000)}]\n${Array.from({ length: 500 }, (_, n) => `k${n}: [*a, *a]\n`).join('')}---\nwords\n`,
      ),
    ...pdfBombs(),
  };
}

const makers = bombMakers();

/** Creates a hostile document, by its file name; all of them take seconds. */
export function makeBomb(name: string): Uint8Array {
  const make = makers[name];
  if (make === undefined) throw new Error(`There is no document ${name}.`);
  return make();
}
