import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../tool/run-in-turns.ts';
import { chunkText } from '../chunking/chunk-text.ts';
import { CodeParsers } from './code/code-parser.ts';
import { readDocument } from './read-document.ts';

async function read(text: string, path = 'a.csv'): Promise<string> {
  const result = await readDocument(new TextEncoder().encode(text), path, new CodeParsers());
  return result.ok ? result.document.text : `(${result.reason})`;
}

describe('a table in a text file', () => {
  it('is a Markdown table with its header', async () => {
    const table = '| Name | Note |\n|---|---|\n| Ann, B. | says "hi" there \\| here |\n| Bob |';
    expect(await read('Name,Note\r\n"Ann, B.","says ""hi""\nthere | here"\r\n\r\nBob,\r\n')).toBe(table);
    expect(await read('Name;Note\n"Ann, B.";says "hi" there | here\nBob;')).toBe(table);
    expect(await read('Name\tNote\nAnn, B.\tsays "hi" there | here\nBob', 'a.tsv')).toBe(table);
  });

  it('keeps words above the header, and a list of one column', async () => {
    expect(await read('# Report\nName,Age,City\nAnn,1,Rome\nBob,2,Bern\n')).toBe(
      '\\# Report\n\n| Name | Age | City |\n|---|---|---|\n| Ann | 1 | Rome |\n| Bob | 2 | Bern |',
    );
    expect(await read('Name\nAnn\nBob')).toBe('Name\n\nAnn\n\nBob');
    expect(await read(',,\n,,\n')).toBe('(is a table without words)');
  });

  it('gives each chunk of rows the header and their lines in the file', async () => {
    const rows = Array.from({ length: 100 }, (_, index) => `${index},"multi\nline ${index}",${'word '.repeat(5)}`);
    const text = `No,Name,Words\n${rows.join('\n')}\n`;
    const result = await readDocument(new TextEncoder().encode(text), 'a.csv', new CodeParsers());
    const chunks = result.ok ? runAtOnce(chunkText(result.document)) : [];
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.every((chunk) => chunk.text.startsWith('| No | Name | Words |\n|---|---|---|\n| '))).toBe(true);
    const first = /^\| (\d+) /.exec(chunks[2]?.text.split('\n')[2] ?? '')?.[1];
    expect(chunks[2]?.lines?.from).toBe(Number(first) * 2 + 2);
  });

  it('takes linear time for broken quotes', async () => {
    expect(await read('a,b\n"c,d\ne,f')).toBe('| a | b |\n|---|---|\n| "c | d |\n| e | f |');
    for (const hostile of ['"a"",', '"', '""",', ',', ';', '"\n'])
      expect((await read(hostile.repeat(2_000_000 / hostile.length))).length).toBeGreaterThan(10);
  });
});
