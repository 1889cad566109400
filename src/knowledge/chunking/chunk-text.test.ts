import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../tool/run-in-turns.ts';
import { scanMarkdown } from '../documents/scan-markdown.ts';
import { scanPlainCode, scanText } from '../documents/code/scan-code.ts';
import type { Section, StructuredText } from '../documents/section.ts';
import { chunkText } from './chunk-text.ts';
import type { Chunk } from './chunk.ts';

const cut = (...given: Parameters<typeof chunkText>): Chunk[] => runAtOnce(chunkText(...given));
const scan = (text: string): Section[] => runAtOnce(scanMarkdown(text));
const markdown = (text: string): StructuredText => ({ text, sections: scan(text), hasLines: true });
const sentence = 'The quick brown fox jumps over the lazy dog near the old mill. ';

describe('chunkText', () => {
  it('keeps a small document whole', () => {
    const text = '# Title\n\nSome words.\n\n## Part\n\nMore words.\n';
    expect(cut(markdown(text))).toEqual([
      { text: text.trim(), headings: ['Title'], start: 0, end: text.length - 1, lines: { from: 1, to: 7 } },
    ]);
  });

  it('gives each section its own chunk when they do not fit together, with the headings above it', () => {
    const long = sentence.repeat(10).trim();
    const chunks = cut(
      markdown(`# Guide\n\n${sentence.repeat(5).trim()}\n\n## Install\n\n${long}\n\n## Use\n\n${long}\n`),
    );
    expect(chunks.map(({ headings, lines }) => ({ headings, lines }))).toEqual([
      { headings: ['Guide'], lines: { from: 1, to: 3 } },
      { headings: ['Guide', 'Install'], lines: { from: 5, to: 7 } },
      { headings: ['Guide', 'Use'], lines: { from: 9, to: 11 } },
    ]);
    expect(chunks[1]?.text).toBe(`Guide\n\n## Install\n\n${long}`);
  });

  it('splits a long section at paragraphs and repeats its headings', () => {
    const paragraphs = Array.from({ length: 6 }, (_, index) => `${index} ${sentence.repeat(5).trim()}`);
    const text = `# Guide\n\n## Long\n\n${paragraphs.join('\n\n')}\n`;
    const chunks = cut(markdown(text), { size: 1000, overlap: 0 });
    expect(chunks.map((chunk) => chunk.text.slice(0, 24))).toEqual([
      '# Guide\n\n## Long\n\n0 The ',
      'Guide > Long\n\n3 The quic',
    ]);
  });

  it('repeats the end of a chunk in the next one, from the start of a word or line', () => {
    const text = sentence.repeat(40);
    const [first, second] = cut({ text, sections: scanText(text), hasLines: true }, { size: 400, overlap: 100 });
    const shared = text.slice(second?.start, first?.end);
    expect(shared.length).toBeGreaterThan(60);
    expect(shared.length).toBeLessThanOrEqual(100);
    expect(text[(second?.start ?? 0) - 1]).toBe(' ');
  });

  it('gives each chunk of rows the header of its table, and splits no row', () => {
    const rows = Array.from({ length: 60 }, (_, index) => `| ${index} | ${'word '.repeat((index * 7) % 40)}end |`);
    const text = `# Stock\n\nWhat we have.\n\n| No | Name |\n|---|:-:|\n${rows.join('\n')}\n\nAfter the table.\n`;
    const chunks = cut(markdown(text), { size: 400, overlap: 100 });
    expect(chunks.length).toBeGreaterThan(10);
    for (const [index, chunk] of chunks.entries()) {
      expect(chunk.text.length).toBeLessThanOrEqual(400);
      if (index > 0 && index < chunks.length - 1)
        expect(chunk.text).toMatch(/^Stock\n\n\| No \| Name \|\n\|---\|:-:\|\n\| \d+ \| (?:word )*end \|/);
    }
    const written = chunks.flatMap((chunk) => chunk.text.match(/^\| \d+ \|.*$/gm) ?? []);
    expect(written).toEqual(rows);
  });

  it('numbers chunks of converted texts by pages, slides, rows or cells', () => {
    const text = `${sentence.repeat(5)}\n\n${sentence.repeat(5)}\n\n${sentence.repeat(5)}`;
    const starts = [0, text.indexOf('\n\n') + 2, text.lastIndexOf('\n\n') + 2];
    const marks = starts.map((at, index) => ({ at, number: index + 3 }));
    const document = { text, sections: scanText(text), hasLines: false, marks };
    expect(cut(document, { size: 700, overlap: 0 }).map(({ lines }) => lines)).toEqual([
      { from: 3, to: 4 },
      { from: 5, to: 5 },
    ]);
  });

  it('joins sections that are too small to say anything', () => {
    const faq = Array.from(
      { length: 20 },
      (_, index) => `## Question ${index}\n\nShort answer number ${index}, in a few more words than one.\n`,
    );
    const chunks = cut(markdown(`# FAQ\n\n${faq.join('\n')}`));
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.every(({ start, end }) => end - start > 100)).toBe(true);
    expect(chunks[1]?.text).toMatch(/^FAQ\n\n## Question/);
  });

  it('leaves line numbers out for converted documents', () => {
    expect(cut({ ...markdown('# A\n\nb'), hasLines: false })[0]?.lines).toBeUndefined();
  });

  it('shortens headings that would fill the chunk', () => {
    const text = `# ${'Very long heading '.repeat(30)}\n\n${sentence.repeat(30)}`;
    const chunks = cut(markdown(text), { size: 400, overlap: 50 });
    expect(chunks.every((chunk) => chunk.text.length <= 400)).toBe(true);
    expect(chunks[2]?.text.startsWith('…')).toBe(true);
  });

  it('splits a megabyte without spaces, quickly and completely', () => {
    const text = 'x'.repeat(1_000_000);
    const chunks = cut({ text, sections: scanText(text), hasLines: true });
    expect(chunks.at(-1)?.end).toBe(text.length);
    expect(chunks.length).toBeLessThan(2000);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      '# A\n',
      '## B\n',
      '### C c\n',
      '\n',
      '\n\n',
      '```\n# no\n```\n',
      '- item\n',
      'Word ',
      'word, ',
      'End. ',
      '\r\n',
      '😀',
      '漢字。',
    ),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.integer({ min: 1, max: 300 }).map((count) => 'y'.repeat(count)),
    fc.integer({ min: 1, max: 1500 }).map((count) => ' '.repeat(count)),
    fc.integer({ min: 1, max: 300 }).map((count) => '\t\n'.repeat(count)),
  );
  const scanner = fc.constantFrom(scan, scanText, scanPlainCode);

  it('covers every word, within the size, at the right lines, without half characters, always the same', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
        scanner,
        fc.integer({ min: 50, max: 1200 }),
        fc.integer({ min: 0, max: 400 }),
        (text, scan, size, overlap) => {
          const document = { text, sections: scan(text), hasLines: true };
          const chunks = cut(document, { size, overlap });
          const covered = new Uint8Array(text.length);
          for (const chunk of chunks) {
            expect(chunk.text.length).toBeLessThanOrEqual(size);
            expect(chunk.text.isWellFormed()).toBe(true);
            const part = text.slice(chunk.start, chunk.end);
            expect(chunk.text.endsWith(part)).toBe(true);
            expect(part.trim()).not.toBe('');
            covered.fill(1, chunk.start, chunk.end);
            const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
            expect(chunk.lines).toEqual({ from: lineOf(chunk.start), to: lineOf(chunk.end - 1) });
          }
          const lost = [...covered.keys()].filter((at) => covered[at] === 0 && (text[at] ?? '').trim() !== '');
          expect(lost).toEqual([]);
          for (const [index, chunk] of chunks.slice(1).entries()) {
            expect(chunk.start).toBeGreaterThan(chunks[index]?.start ?? -1);
            expect(chunk.end).toBeGreaterThan(chunks[index]?.end ?? -1);
          }
          expect(cut(document, { size, overlap })).toEqual(chunks);
        },
      ),
      { numRuns: 400 },
    );
  });
});
