import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../tool/run-in-turns.ts';
import { chunkText } from '../chunking/chunk-text.ts';
import { CodeParsers } from './code/code-parser.ts';
import { readDocument } from './read-document.ts';
import { makePdf } from './make-pdf.test-helper.ts';

const parsers = new CodeParsers();
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns the headings of each section, and the first line of its text. */
async function outline(path: string, text: string): Promise<string[]> {
  const read = await readDocument(encode(text), path, parsers);
  if (!read.ok) return [read.reason];
  const { sections, text: whole } = read.document;
  expect(sections.map(({ start, end }) => whole.slice(start, end)).join('')).toBe(whole);
  return sections.map(({ headings, start }) => `${headings.join('.')}: ${whole.slice(start).split('\n')[0]?.trim()}`);
}

describe('readDocument', () => {
  it.for([
    [
      'a.ts',
      "import x from 'y';\n\n/** Adds. */\nexport function add(a: number): number {\n  return a;\n}\n\nexport class Board {\n  size = 1;\n\n  /** Clears. */\n  clear(): void {}\n}\n\nadd(1);\n",
      [
        ": import x from 'y';",
        'add: /** Adds. */',
        'Board: export class Board {',
        'Board.clear: /** Clears. */',
        ': add(1);',
      ],
    ],
    [
      'a.py',
      'import os\n\n# About go\n@cache\ndef go(é="😀"):\n    return 1\n\nclass A(B):\n    """Doc."""\n    def run(self):\n        pass\n',
      [': import os', 'go: # About go', 'A: class A(B):', 'A.run: def run(self):'],
    ],
    [
      'a.go',
      'package main\n\n// T is one.\ntype T struct {\n\tA int\n}\n\nfunc (t *T) Do() {\n}\n',
      [': package main', 'T: // T is one.', 'Do: func (t *T) Do() {'],
    ],
    [
      'a.rs',
      '/// Doc\nstruct P {\n  a: u8\n}\nimpl P {\n    fn new() -> P { P { a: 1 } }\n}\n',
      ['P: /// Doc', 'P: impl P {', 'P.new: fn new() -> P { P { a: 1 } }'],
    ],
    [
      'A.java',
      'package x;\n/** Doc */\npublic class A {\n  /** m */\n  int go() { return 1; }\n}\n',
      [': package x;', 'A: /** Doc */', 'A.go: /** m */'],
    ],
    [
      'a.php',
      '<?php\n/** Doc */\nfinal class C {\n    public function go(): int { return 1; }\n}\n',
      [': <?php', 'C: /** Doc */', 'C.go: public function go(): int { return 1; }'],
    ],
    [
      'a.c',
      '#include <x>\nstatic int *helper(void) {\n  return 0;\n}\n',
      [': #include <x>', 'helper: static int *helper(void) {'],
    ],
    [
      'a.cpp',
      'namespace n {\nclass V {\n  int size() { return 1; }\n};\n}\n',
      ['n: namespace n {', 'n.V: class V {', 'n.V.size: int size() { return 1; }'],
    ],
    [
      'a.cs',
      'namespace A {\n  class C {\n    void M() { }\n  }\n}\n',
      ['A: namespace A {', 'A.C: class C {', 'A.C.M: void M() { }'],
    ],
    [
      'a.rb',
      'module M\n  class C\n    attr :x\n    # doc\n    def go\n      1\n    end\n  end\nend\n',
      ['M: module M', 'M.C: class C', 'M.C.go: # doc'],
    ],
  ] as const)('finds the declarations of %s', async ([path, text, expected]) => {
    expect(await outline(path, text)).toEqual(expected);
  });

  it('reads broken code', async () => {
    expect(await outline('a.ts', 'export class {{{ function ((\n')).toHaveLength(1);
  });

  it('reads a page: its words and headings, not its menus and scripts', async () => {
    const html =
      '<!doctype html><html><head><title>The page</title><script>evil()</script></head><body><nav>Menu</nav><main><h2>Part</h2><p>Some <b>bold</b> words.</p><pre><code>x = 1</code></pre><script>more()</script></main><footer>Foot</footer></body></html>';
    const read = await readDocument(encode(html), 'a.html', parsers);
    expect(read.ok && read.document).toMatchObject({
      text: '# The page\n\n## Part\n\nSome **bold** words.\n\n```\nx = 1\n```',
      hasLines: false,
    });
    expect(await outline('a.htm', '<p>Only a piece')).toEqual([': Only a piece']);
    expect(await outline('a.html', '<div>'.repeat(100_000))).toEqual([
      'has tags more than 1000 deep in each other; close them',
    ]);
    expect(await outline('a.html', '<html><body><script>x</script></body></html>')).toEqual([
      'is a page without words',
    ]);
  });

  it('reads a PDF page by page', async () => {
    const read = await readDocument(makePdf(['Hello knowledge', 'Second page words']), 'a.pdf', parsers);
    expect(read.ok && read.document.sections.map(({ headings }) => headings)).toEqual([['Page 1'], ['Page 2']]);
    expect(read.ok && read.document.text).toContain('Second page words');
    expect(await outline('a.pdf', 'not a pdf')).toEqual([expect.stringMatching(/^is not a PDF that can be read: /)]);
    const scanned = await readDocument(makePdf(['']), 'a.pdf', parsers);
    expect(scanned).toEqual({
      ok: false,
      reason: 'is a PDF without text, most likely scanned; run it through OCR first',
    });
  });

  it('reads text in common encodings', async () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from('Grüße', 'utf16le')]);
    const read = await readDocument(utf16, 'a.txt', parsers);
    expect(read.ok && read.document.text).toBe('Grüße');
    const marked = await readDocument(encode('\uFEFF# Title\n'), 'a.md', parsers);
    expect(marked.ok && marked.document.sections[0]?.headings).toEqual(['Title']);
    const latin = new Uint8Array(Buffer.from('one\ntwo\ncaf\u00e9\n', 'latin1'));
    expect(await readDocument(latin, 'a.txt', parsers)).toMatchObject({
      document: { text: 'one\ntwo\ncafé\n' },
      encoding: 'Windows-1252',
    });
    const broken = new Uint8Array([...encode('Grüße aus Köln '), 0xff, 0x21]);
    expect(await readDocument(broken, 'a.txt', parsers)).toMatchObject({
      document: { text: 'Grüße aus Köln \uFFFD!' },
      encoding: 'UTF-8 with broken bytes',
    });
    const page = new Uint8Array(Buffer.from('<meta charset="iso-8859-2"><p>\u00b3\u00f3d\u00bc', 'latin1'));
    expect(await readDocument(page, 'a.html', parsers)).toMatchObject({
      document: { text: 'łódź' },
      encoding: 'iso-8859-2',
    });
    for (const words of ['Some words without a mark', 'Привет, мир и все люди\n', '漢字 とかな\r\n']) {
      const bytes = Buffer.from(words.repeat(3), 'utf16le');
      const little = await readDocument(new Uint8Array(bytes), 'a.txt', parsers);
      expect(little.ok && little.document.text).toBe(words.repeat(3));
      const big = await readDocument(new Uint8Array(Buffer.from(bytes).swap16()), 'a.txt', parsers);
      expect(big.ok && big.document.text).toBe(words.repeat(3));
    }
    const noise = Uint8Array.from({ length: 4000 }, (_, index) => (index * index * 31 + (index >> 3) * 7) % 256 || 1);
    expect(await readDocument(noise, 'a.txt', parsers)).toEqual({ ok: false, reason: 'is a binary file' });
    expect(await readDocument(new Uint8Array([1, 0, 2]), 'a.md', parsers)).toEqual({
      ok: false,
      reason: 'is a binary file',
    });
    expect(await outline('a.txt', ' \n\n')).toEqual(['is empty']);
  });

  it('splits code of other languages at lines without indentation after an empty line', async () => {
    const read = await readDocument(encode('a\n  b\n\n  c\n\nd\n'), 'a.kt', parsers);
    expect(read.ok && read.document.sections[0]?.blocks).toEqual([12]);
  });

  it('reads generated files quickly', async () => {
    const hostile = {
      'a.md': `---\n${'a: b\n'.repeat(100_000)}`,
      'b.md': `# ${' '.repeat(500_000)}x`,
      'c.md': `${'['.repeat(200_000)}\n===\n`,
      'd.md': '```\n'.repeat(100_001),
      'e.ts': '('.repeat(100_000),
      'f.txt': `${' '.repeat(1_000_000)}x`,
    };
    for (const [path, text] of Object.entries(hostile)) {
      const read = await readDocument(encode(text), path, parsers);
      const chunks = read.ok ? runAtOnce(chunkText(read.document)) : [];
      expect(chunks.length).toBeGreaterThan(0);
      expect(chunks.every((chunk) => chunk.text.trim() !== '' && chunk.text.length <= 1000)).toBe(true);
    }
  });
});
