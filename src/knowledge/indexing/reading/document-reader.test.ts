import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_CHUNKS } from '../../chunking/chunk.ts';
import { makeBomb } from '../../documents/make-bombs.test-helper.ts';
import { makePdf } from '../../documents/make-pdf.test-helper.ts';
import { makeDocx, paragraph } from '../../documents/office/make-office.test-helper.ts';
import { DocumentReader } from './document-reader.ts';
import type { ReaderLimits } from './cut-document.ts';

const good = { path: 'good.docx', bytes: makeDocx(paragraph('Good words')), chunks: DEFAULT_CHUNKS };

function open(limits: Partial<ReaderLimits> = {}): DocumentReader {
  const reader = new DocumentReader(limits);
  onTestFinished(() => reader.close());
  return reader;
}

async function outcome(reader: DocumentReader, path: string, bytes = makeBomb(path)): Promise<string> {
  const read = await reader.read({ path, bytes, chunks: DEFAULT_CHUNKS });
  return read.ok ? 'read' : read.reason;
}

const children = (): string[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
const readers = (): string[] =>
  children().filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reader-program'));

describe('DocumentReader', () => {
  it('rejects hostile documents, or reads their text', { timeout: 600_000 }, async () => {
    const reader = open();
    const expected: Readonly<Record<string, string | RegExp>> = {
      'zeros.docx': 'unpacks to far more than a document has',
      'zeros.xlsx': 'unpacks to far more than a document has',
      'zeros.pptx': 'unpacks to far more than a document has',
      'zeros.odt': 'unpacks to far more than a document has',
      'zeros.epub': 'unpacks to far more than a document has',
      'nested.docx': 'is a document without words',
      'entries.docx': /^has more than 20000 parts|^is a broken docx file/,
      'overlapping.docx': /^has more than 20000 parts|^is a (?:broken docx|document without)/,
      'outside.docx': /^is a broken docx file: invalid relative path/,
      'laughs.docx': 'has a document type in word/document.xml, which is not read',
      'deep.docx': 'has elements more than 200 deep in each other in word/document.xml',
      'attributes.pptx': 'has an element with more than 1000 attributes in ppt/slides/slide1.xml',
      'line.epub': /^has a chapter of more than 5 MB/,
      'divs.html': 'has tags more than 1000 deep in each other; close them',
      'comments.html': 'is a page without words',
      'deep.ipynb': 'is not a notebook: it is not JSON',
      'half.txt': 'is not UTF-16LE text; convert it to UTF-8',
      'kids.pdf': /^is not a PDF that can be read: /,
      'count.pdf': /^read$|^has more than 20000 pages/,
      'pages.pdf': 'has more than 20000 pages; split it',
      'forms.pdf': /^is a PDF without text/,
      'deep.pdf': /^is not a PDF that can be read: /,
      'xref.pdf': /^is not a PDF that can be read: /,
      'objects.pdf': /^is not a PDF that can be read: /,
      'spans.html': 'read',
      'lists.md': 'read',
      'quotes.md': 'read',
      'brackets.md': 'read',
      'blank.txt': 'read',
      'quotes.csv': 'read',
      'deep.ts': 'read',
      'front.md': 'read',
    };
    for (const [path, reason] of Object.entries(expected)) {
      const found = await outcome(reader, path);
      expect({ path, found }).toEqual({
        path,
        found: typeof reason === 'string' ? reason : expect.stringMatching(reason),
      });
    }
    expect(await reader.read(good)).toMatchObject({ ok: true, chunks: [{ text: 'Good words' }] });
  });

  it(
    'stops reading a document that takes too much memory or time, and reads the next',
    { timeout: 600_000 },
    async () => {
      const reader = open({ memory: 300_000_000, seconds: 1, secondsPerMegabyte: 0 });
      const memory = 'takes more than 300 MB of memory to read; split it';
      const time = 'takes more than 1 s, and 0 s for each of its megabytes, to read; split it';
      expect(await outcome(reader, 'cmap.pdf')).toBe(time);
      const patient = open({ memory: 300_000_000 });
      expect(await outcome(patient, 'flate.pdf')).toBe(memory);
      // WebAssembly, which no limit of V8 includes.
      expect(await outcome(patient, 'templates.cpp')).toBe(memory);
      for (const each of [reader, patient]) expect(await each.read(good)).toMatchObject({ ok: true });
    },
  );

  it('uses one process for many documents, and none for small texts', async () => {
    const reader = open();
    expect(await outcome(reader, 'a.md', Buffer.from('# A\n\nwords'))).toBe('read');
    const before = readers();
    for (let n = 0; n < 5; n++) expect(await outcome(reader, 'a.pdf', makePdf([`Page ${n}`]))).toBe('read');
    const started = readers().filter((pid) => !before.includes(pid));
    expect(started).toHaveLength(1);
  });

  it('stops with its signal, and survives the death of its process', async () => {
    const reader = open();
    const known = new Set(readers());
    const order = { path: 'x.cpp', bytes: makeBomb('deep.cpp'), chunks: DEFAULT_CHUNKS };
    const started = async (): Promise<number> => {
      await until(() => readers().some((pid) => !known.has(pid)));
      const pid = readers().find((each) => !known.has(each)) ?? '';
      known.add(pid);
      return Number(pid);
    };
    const controller = new AbortController();
    const reading = reader.read(order, controller.signal);
    await started();
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    const again = reader.read(order);
    process.kill(await started(), 'SIGKILL');
    expect(await again).toMatchObject({ ok: true });
  });

  it('leaves no process behind when its own is killed in the middle of a document', async () => {
    const program = `
      import { DocumentReader } from ${JSON.stringify(new URL('./document-reader.ts', import.meta.url).href)};
      import { execFileSync } from 'node:child_process';
      void new DocumentReader().read({ path: 'x.cpp', bytes: Buffer.from('a<'.repeat(400_000)), chunks: { size: 1000, overlap: 200 } });
      const look = () => execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], { encoding: 'utf8' });
      setInterval(() => {
        const [, pid] = /^ *(\\d+) .*reader-program/m.exec(look()) ?? [];
        if (pid === undefined) return;
        process.stdout.write(pid);
        process.kill(process.pid, 'SIGKILL');
      }, 20);`;
    let pid = '';
    try {
      execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      pid = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    }
    expect(pid).toMatch(/^\d+$/);
    await until(() => !isRunning(pid));
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((settle) => setTimeout(settle, 20));
}

function isRunning(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reader-program');
  } catch {
    return false;
  }
}
