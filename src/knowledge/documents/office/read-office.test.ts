import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../../tool/run-in-turns.ts';
import { chunkText } from '../../chunking/chunk-text.ts';
import { CodeParsers } from '../code/code-parser.ts';
import { readDocument } from '../read-document.ts';
import {
  makeDocx,
  makeEpub,
  makeOpenDocument,
  makePptx,
  makeXlsx,
  paragraph,
  relations,
  shape,
  sheetRow,
} from './make-office.test-helper.ts';
import { makeZip } from './make-zip.test-helper.ts';

async function read(path: string, bytes: Uint8Array): Promise<string> {
  const result = await readDocument(bytes, path, new CodeParsers());
  return result.ok ? result.document.text : `(${result.reason})`;
}

async function chunksOf(path: string, bytes: Uint8Array): Promise<ReturnType<typeof toPlaces>> {
  const result = await readDocument(bytes, path, new CodeParsers());
  return result.ok ? toPlaces(runAtOnce(chunkText(result.document))) : [];
}

const toPlaces = (
  chunks: readonly { headings: readonly string[]; lines: unknown; text: string }[],
): { headings: readonly string[]; lines: unknown; text: string }[] =>
  chunks.map(({ headings, lines, text }) => ({ headings, lines, text }));

describe('a document of Word', () => {
  it('keeps headings, lists, tables, links and notes, without deleted and hidden text', async () => {
    const list = (level: number, text: string): string =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="7"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const cell = (text: string, properties = ''): string =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;
    const bytes = makeDocx(
      [
        paragraph('The plan', 'Title'),
        paragraph('Contents ... 3', 'TOC1'),
        paragraph('Ziele', 'berschrift1'),
        '<w:p><w:r><w:t>We </w:t></w:r><w:del><w:r><w:delText>did</w:delText></w:r></w:del><w:ins><w:r><w:t>do it</w:t></w:r></w:ins><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t>, see </w:t></w:r><w:hyperlink r:id="rId4"><w:r><w:t>here</w:t></w:r></w:hyperlink>.</w:p>',
        list(0, 'first'),
        list(1, 'inner'),
        list(0, 'second'),
        paragraph('Deep', 'Heading2'),
        `<w:tbl><w:tr>${cell('City')}${cell('Year')}${cell('A|B')}</w:tr><w:tr>${cell('Rome', '<w:vMerge w:val="restart"/>')}${cell('2020')}${cell('1')}</w:tr><w:tr>${cell('', '<w:vMerge/>')}${cell('both', '<w:gridSpan w:val="2"/>')}</w:tr></w:tbl>`,
        '<w:sdt><w:sdtContent><w:p><w:r><w:t># in a box</w:t></w:r></w:p></w:sdtContent></w:sdt>',
      ].join(''),
      {
        'word/styles.xml':
          '<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="TOC1"><w:name w:val="toc 1"/></w:style></w:styles>',
        'word/numbering.xml':
          '<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="1"/></w:num></w:numbering>',
        'word/footnotes.xml': `<w:footnotes><w:footnote w:type="separator" w:id="0">${paragraph('x')}</w:footnote><w:footnote w:id="2">${paragraph('If it rains.')}</w:footnote></w:footnotes>`,
      },
    );
    expect(await read('a.docx', bytes)).toBe(
      [
        '# The plan',
        '## Ziele',
        'We do it, see [here](https://example.com/a)',
        'Note: If it rains.',
        '1. first',
        '   - inner',
        '2. second',
        '### Deep',
        '| City | Year | A\\|B |\n|---|---|---|\n| Rome | 2020 | 1 |\n| Rome | both |',
        '\\# in a box',
      ].join('\n\n'),
    );
  });

  it('reads one without styles from other programs', async () => {
    expect(
      await read('a.docx', makeZip({ 'word/document.xml': `<document><body>${paragraph('Words')}</body></document>` })),
    ).toBe('Words');
    expect(await read('a.docx', makeDocx(''))).toBe('(is a document without words)');
  });
});

describe('a workbook of Excel', () => {
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="&quot;Day &quot;0"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="10"/><xf numFmtId="165"/></cellXfs></styleSheet>';

  it('returns each visible sheet as a table, with dates and the values of formulas', async () => {
    const bytes = makeXlsx(
      {
        Sales: `<sheetData>${sheetRow(1, 'Report')}${sheetRow(3, 'Day', 'Sum', 'Share', 'At')}${sheetRow(4, '<c r="A4" s="1"><v>45352</v></c>', '<c r="B4"><f>1+2</f><v>0.30000000000000004</v></c>', '<c s="3"><v>0.125</v></c>', '<c s="2"><v>45352.604166666664</v></c>')}${sheetRow(5, '<c r="A5" t="s"><v>1</v></c>', '<c r="D5" t="b"><v>1</v></c>')}${sheetRow(6, '<c r="B6" s="4"><v>7</v></c>', '<c t="e"><v>#DIV/0!</v></c>')}</sheetData><mergeCells><mergeCell ref="A5:A6"/></mergeCells>`,
        'Hidden one': `<sheetData>${sheetRow(1, 'secret', 'words')}</sheetData>`,
        Empty: '<sheetData/>',
      },
      {
        'xl/sharedStrings.xml':
          '<sst><si><t>no</t></si><si><r><t>two </t></r><r><t>parts</t></r><rPh><t>spoken</t></rPh></si></sst>',
        'xl/styles.xml': styles,
      },
    );
    expect(await read('a.xlsx', bytes)).toBe(
      [
        '# Sales',
        'Report',
        '| Day | Sum | Share | At |\n|---|---|---|---|\n| 2024-03-01 | 0.3 | 12.5% | 2024-03-01T14:30:00 |\n| two parts |  |  | TRUE |\n| two parts | 7 | #DIV/0! |',
      ].join('\n\n'),
    );
  });

  it('names the sheet, the rows and the columns of each chunk', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => sheetRow(index + 2, `Item ${index}`, 'word '.repeat(8)));
    const bytes = makeXlsx({ Stock: `<sheetData>${sheetRow(1, 'Name', 'About')}${rows.join('')}</sheetData>` });
    const chunks = await chunksOf('a.xlsx', bytes);
    expect(chunks.length).toBeGreaterThan(8);
    expect(chunks[0]?.text).toMatch(/^# Stock\n\n\| Name \| About \|\n\|---\|---\|\n\| Item 0 \|/);
    for (const { headings, lines, text } of chunks.slice(1)) {
      expect(headings).toEqual(['Stock']);
      const items = [...text.matchAll(/^\| Item (\d+) \|/gm)].map(([, item]) => Number(item) + 2);
      expect(lines).toEqual({ from: items[0], to: items.at(-1) });
      expect(text).toMatch(/^Stock\n\n\| Name \| About \|\n\|---\|---\|\n\| Item/);
    }
  });

  it('reads cells that are far apart, without empty ones', async () => {
    const bytes = makeXlsx({
      Far: `<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c><c r="XFD1" t="str"><v>b</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`,
    });
    expect(await read('a.xlsx', bytes)).toBe('# Far\n\n| a | b |\n|---|---|\n\n1');
  });
});

describe('a presentation of PowerPoint', () => {
  it('returns each slide under its title, with lists, tables and notes, and its number', async () => {
    const table =
      '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>A</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>B</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>';
    const bytes = makePptx(
      [
        shape('<p:ph type="ctrTitle"/>', 'Our plan') + shape('<p:ph type="subTitle"/>', 'For 2025'),
        `HIDDEN${shape('', 'old')}`,
        shape(
          '<p:ph idx="1"/>',
          'one',
          '<a:pPr lvl="1"><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>deeper</a:t></a:r>',
        ) + `<p:grpSp>${shape('', 'A box')}</p:grpSp>${table}${shape('<p:ph type="sldNum"/>', '3')}`,
      ],
      {
        'ppt/slides/_rels/slide3.xml.rels': relations(['notesSlide', '../notesSlides/n1.xml']),
        'ppt/notesSlides/n1.xml': `<p:notes>${shape('<p:ph type="body"/>', 'Say it slowly')}</p:notes>`,
      },
    );
    expect(await read('a.pptx', bytes)).toBe(
      '# Our plan\n\nFor 2025\n\n# Slide 3\n\n- one\n   1. deeper\n\nA box\n\n| A | B |\n|---|---|\n\nNotes: Say it slowly',
    );
    expect((await chunksOf('a.pptx', bytes))[0]?.lines).toEqual({ from: 1, to: 3 });
  });
});

describe('a document of LibreOffice', () => {
  it('keeps headings, lists, tables and notes of a text', async () => {
    const styles =
      '<style:style style:name="P1" style:parent-style-name="Title"/><text:list-style style:name="L1"><text:list-level-style-number text:level="1"/></text:list-style>';
    const body = `<office:text><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:p text:style-name="P1">The<text:s/>plan</text:p><text:h text:outline-level="1">Goals</text:h><text:p>See <text:a xlink:href="https://example.com/">this</text:a><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>If dry.</text:p></text:note-body></text:note><office:annotation><text:p>remark</text:p></office:annotation></text:p><text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list><table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>x</text:p></table:table-cell><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row><table:table-row><table:covered-table-cell/><table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table></office:text>`;
    expect(await read('a.odt', makeOpenDocument(styles, body))).toBe(
      '# The plan\n\n## Goals\n\nSee [this](https://example.com/)\n\nNote: If dry.\n\n1. one\n   - inner\n2. two\n\n| A | B |\n|---|---|\n| x | 1 |\n| x | 2 |',
    );
  });

  it('reads sheets, and repeats no background', async () => {
    const cell = (text: string, more = ''): string =>
      `<table:table-cell${more}><text:p>${text}</text:p></table:table-cell>`;
    const body = `<table:table table:name="One"><table:table-row>${cell('Name')}${cell('Day')}</table:table-row><table:table-row>${cell('Ann')}${cell('1. März', ' office:value-type="date" office:date-value="2024-03-01T00:00:00"')}<table:table-cell table:number-columns-repeated="16382"/></table:table-row><table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table><table:table table:name="Two" table:style-name="ta2"><table:table-row>${cell('secret')}</table:table-row></table:table>`;
    const styles = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>';
    expect(await read('a.ods', makeOpenDocument(styles, body))).toBe(
      '# One\n\n| Name | Day |\n|---|---|\n| Ann | 2024-03-01 |',
    );
    const full = `<table:table table:name="Full"><table:table-row table:number-rows-repeated="1048576">${cell('x', ' table:number-columns-repeated="16384"')}</table:table-row></table:table>`;
    expect((await read('a.ods', makeOpenDocument('', full))).length).toBeLessThan(100_000);
  });

  it('reads slides', async () => {
    const frame = (kind: string, inner: string): string =>
      `<draw:frame presentation:class="${kind}"><draw:text-box>${inner}</draw:text-box></draw:frame>`;
    const body = `<office:presentation><draw:page>${frame('title', '<text:p>Hello</text:p>')}${frame('outline', '<text:list><text:list-item><text:p>point</text:p></text:list-item></text:list>')}<presentation:notes>${frame('notes', '<text:p>speak</text:p>')}</presentation:notes></draw:page></office:presentation>`;
    expect(await read('a.odp', makeOpenDocument('', body))).toBe('# Hello\n\n- point\n\nNotes: speak');
  });
});

describe('a book', () => {
  it('returns its chapters in order under its title', async () => {
    const page = (title: string, words: string): string =>
      `<?xml version="1.0"?><!DOCTYPE html><html><head><title>x</title></head><body><h1>${title}</h1><p>${words}</p></body></html>`;
    const bytes = makeEpub('The sea', [page('Morning', 'Calm water.'), page('Evening', 'A storm &amp; rain.')]);
    expect(await read('a.epub', bytes)).toBe(
      '# The sea\n\nBy A. Writer\n\n## Morning\n\nCalm water.\n\n## Evening\n\nA storm & rain.',
    );
  });
});
