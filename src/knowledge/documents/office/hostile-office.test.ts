import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CodeParsers } from '../code/code-parser.ts';
import { readDocument } from '../read-document.ts';
import {
  makeDocx,
  makeEpub,
  makeOpenDocument,
  makePptx,
  makeXlsx,
  paragraph,
  sheetRow,
} from './make-office.test-helper.ts';
import { makeZip } from './make-zip.test-helper.ts';

async function reasonOf(path: string, bytes: Uint8Array): Promise<string> {
  const result = await readDocument(bytes, path, new CodeParsers());
  return result.ok ? `${result.document.text.length} characters` : result.reason;
}

const BOMB = 'unpacks to far more than a document has';

describe('a hostile archive', () => {
  it('that unpacks to far more than its size is rejected', async () => {
    const bomb = ' '.repeat(10_000_000);
    expect(await reasonOf('a.docx', makeDocx('', { 'word/document.xml': `<document><body>${bomb}` }))).toBe(BOMB);
    expect(await reasonOf('a.xlsx', makeXlsx({ A: `<sheetData>${bomb}</sheetData>` }))).toBe(BOMB);
    expect(await reasonOf('a.odt', makeZip({ 'content.xml': bomb }))).toBe(BOMB);
    expect(await reasonOf('a.epub', makeEpub('x', [`<html>${bomb}`]))).toMatch(
      /^(?:has a chapter of more|unpacks to far)/,
    );
  });

  it('with false part sizes is rejected', async () => {
    const lie = (size: number): Uint8Array =>
      makeZip([{ name: 'word/document.xml', content: `<document>${paragraph('words')}</document>`, size }]);
    expect(await reasonOf('a.docx', lie(3))).toMatch(/^is a broken docx file: too many bytes/);
    expect(await reasonOf('a.docx', lie(4_000_000_000))).toMatch(/^is a broken docx file: not enough bytes/);
  });

  it('with endless parts or names that lead out of it is rejected or not followed', async () => {
    const many = Array.from({ length: 20_001 }, (_, index) => ({ name: `${index}`, content: '' }));
    expect(await reasonOf('a.pptx', makeZip(many))).toBe('has more than 20000 parts');
    expect(await reasonOf('a.docx', makeZip({ '../../etc/passwd': 'x' }))).toMatch(
      /^is a broken docx file: invalid relative path/,
    );
    const relative =
      '<Relationships><Relationship Id="a" Type="x/officeDocument" Target="../../../../etc/passwd"/></Relationships>';
    expect(await reasonOf('a.docx', makeZip({ '_rels/.rels': relative }))).toBe(
      'is a broken docx file: it has no word/document.xml',
    );
  });

  it('that is truncated, empty or not an archive is reported', async () => {
    const whole = makeDocx(paragraph('words'));
    for (const path of ['a.docx', 'a.xlsx', 'a.pptx', 'a.odt', 'a.ods', 'a.odp', 'a.epub']) {
      const format = path.slice(2);
      for (const bytes of [whole.subarray(0, whole.length - 30), new Uint8Array([1, 2, 3]), new Uint8Array(100)])
        expect(await reasonOf(path, bytes)).toMatch(new RegExp(`^is a broken ${format} file: `));
      expect(await reasonOf(path, makeZip({ x: 'y' }))).toMatch(/^is a broken \w+ file: it has no /);
    }
    expect(await reasonOf('a.docx', makeDocx('', { 'word/document.xml': '<<<not & xml' }))).toBe(
      'is a document without words',
    );
    const old = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]);
    expect(await reasonOf('a.docx', old)).toMatch(/^is a docx file with a password, or of an Office before 2007/);
    expect(await reasonOf('a.doc', old)).toBe('has a format of Office before 2007; save it as .docx, .xlsx or .pptx');
  });
});

describe('hostile XML', () => {
  it('with its own entities is rejected', async () => {
    const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY b${n} "${`&b${n - 1};`.repeat(10)}">`).join('')}]>`;
    const outside = '<!DOCTYPE x SYSTEM "file:///etc/passwd">';
    for (const type of [laughs, outside]) {
      expect(await reasonOf('a.docx', makeDocx('', { 'word/document.xml': `${type}<document>&b9;</document>` }))).toBe(
        'has a document type in word/document.xml, which is not read',
      );
      expect(await reasonOf('a.odt', makeZip({ 'content.xml': `${type}<p>x</p>` }))).toBe(
        'has a document type in content.xml, which is not read',
      );
    }
  });

  it('with endless nesting is rejected', async () => {
    const deep = '<w:tbl><w:tr><w:tc>'.repeat(100_000);
    expect(await reasonOf('a.docx', makeDocx(deep))).toBe(
      'has elements more than 200 deep in each other in word/document.xml',
    );
    expect(await reasonOf('a.odt', makeOpenDocument('', '<text:list><text:list-item>'.repeat(100_000)))).toMatch(
      /deep in each other/,
    );
    expect(await reasonOf('a.pptx', makePptx(['<p:grpSp>'.repeat(100_000)]))).toMatch(/deep in each other/);
  });

  it('with endless elements, cells or texts is rejected', async () => {
    const attributes = Array.from({ length: 200_000 }, (_, n) => `a${n}=""`).join(' ');
    expect(await reasonOf('a.docx', makeDocx(`<w:p ${attributes}/>`))).toBe(
      'has an element with more than 1000 attributes in word/document.xml',
    );
    expect(await reasonOf('a.docx', makeDocx(`<w:p>${'<w:r/>'.repeat(500_001)}</w:p>`))).toBe(
      'has more than 500000 elements in one p; split it',
    );
    const strings = { 'xl/sharedStrings.xml': `<sst><si><t>${'long '.repeat(6000)}</t></si></sst>` };
    const cells = '<c t="s"><v>0</v></c>'.repeat(2000);
    expect(await reasonOf('a.xlsx', makeXlsx({ A: `<sheetData><row>${cells}</row></sheetData>` }, strings))).toBe(
      'has more than 50 million characters of text; split it',
    );
    const diagonal = Array.from(
      { length: 10_500 },
      (_, n) => `<row r="${n + 1}"><c r="A${n + 1}"><v>1</v></c><c r="${letters(n + 2)}${n + 1}"><v>1</v></c></row>`,
    );
    expect(await reasonOf('a.xlsx', makeXlsx({ A: `<sheetData>${diagonal.join('')}</sheetData>` }))).toBe(
      'has more than 50 million characters of text; split it',
    );
  });

  it('with endless links in one paragraph is rejected before the text is joined', async () => {
    const relations = `<Relationships><Relationship Id="a" Type="x/hyperlink" Target="https://e.com/${'x'.repeat(1000)}"/></Relationships>`;
    const links = '<hyperlink id="a"><t>a</t></hyperlink>'.repeat(60_000);
    const parts = { 'word/_rels/document.xml.rels': relations };
    expect(await reasonOf('a.docx', makeDocx(`<p>${links}</p>`, parts))).toBe(
      'has more than 50 million characters of text; split it',
    );
  });

  it('with thousands of names for a chapter reads it once', async () => {
    const names = Array.from({ length: 4000 }, (_, at) => `c${at}`);
    const items = names.map((id) => `<item id="${id}" href="c.html" media-type="text/html"/>`).join('');
    const order = names.map((id) => `<itemref idref="${id}"/>`).join('');
    const book = makeZip({
      'META-INF/container.xml': '<container><rootfile full-path="b.opf"/></container>',
      'b.opf': `<package><title>B</title><manifest>${items}</manifest><spine>${order}</spine></package>`,
      'c.html': `<html><body>${'<p>word</p>'.repeat(100)}</body></html>`,
    });
    expect(await reasonOf('a.epub', book)).toBe('603 characters');
  });

  it('never blocks the process for long', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) =>
      sheetRow(n + 1, `Item ${n}`, `word ${n * 7}`, `more ${n % 13}`),
    );
    const bytes = makeXlsx({ A: `<sheetData>${rows.join('')}</sheetData>` });
    let turns = 0;
    const work = { isDone: false };
    const counting = (async () => {
      while (!work.isDone) {
        await turn();
        turns++;
      }
    })();
    await readDocument(bytes, 'a.xlsx', new CodeParsers());
    work.isDone = true;
    await counting;
    expect(turns).toBeGreaterThan(50);
  });
});

function letters(column: number): string {
  const rest = Math.floor((column - 1) / 26);
  return (rest === 0 ? '' : letters(rest)) + String.fromCharCode(65 + ((column - 1) % 26));
}
