// A folder of all formats that people have, from the command line: indexed, told of where broken, found and cited.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  makeDocx,
  makeEpub,
  makeOpenDocument,
  makePptx,
  makeXlsx,
  paragraph,
  shape,
  sheetRow,
} from '../src/knowledge/documents/office/make-office.test-helper.ts';
import { CLI } from './cli-program.test-helper.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-formats-'));
  mkdirSync(join(folder, 'files'));
  const config = 'tools: [{ name: docs, type: rag, description: The docs, collection: docs, operations: [search] }]\n';
  writeFileSync(join(folder, 'pegboard.yaml'), config);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function pegboard(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };
  return promisify(execFile)(process.execPath, [CLI, ...args], { cwd: folder, env });
}

it('indexes a folder of all formats, and cites where each answer stands', async () => {
  const cell = (text: string): string => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
  const rows = Array.from({ length: 60 }, (_, n) => sheetRow(n + 2, `Part ${n}`, n === 50 ? 'gasket' : `thing ${n}`));
  const files: Record<string, string | Uint8Array> = {
    'a.docx': makeDocx(paragraph('Policy', 'Heading1') + paragraph('Umbrellas are lent for a week.')),
    'b.xlsx': makeXlsx({ Stock: `<sheetData>${sheetRow(1, 'Name', 'About')}${rows.join('')}</sheetData>` }),
    'c.pptx': makePptx([
      shape('<p:ph type="title"/>', 'Hello'),
      shape('<p:ph type="title"/>', 'Harvest') + shape('', 'Apples in autumn'),
    ]),
    'd.odt': makeOpenDocument(
      '',
      '<text:h text:outline-level="1">Lamps</text:h><text:p>Bulbs are in the cellar.</text:p>',
    ),
    'e.ods': makeOpenDocument(
      '',
      `<table:table table:name="Pets"><table:table-row>${cell('Animal')}${cell('Food')}</table:table-row><table:table-row>${cell('Hedgehog')}${cell('beetles')}</table:table-row></table:table>`,
    ),
    'f.epub': makeEpub('The sea', ['<html><body><h1>Storm</h1><p>The mast broke.</p></body></html>']),
    'g.ipynb': JSON.stringify({
      cells: [
        { cell_type: 'markdown', source: '# Model' },
        { cell_type: 'code', source: 'fit(regression)', outputs: [] },
      ],
    }),
    'h.csv': 'Bird;Song\nWren;loud\nRobin;melancholic\n',
    'i.eml':
      'From: Ann <ann@example.com>\r\nSubject: Lunch\r\nDate: Fri, 01 Mar 2024 12:00:00 +0000\r\n\r\nDumplings on Friday?\r\n',
    'j.mhtml': 'MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<title>Saved</title><p>Glaciers retreat.</p>',
    'k.txt': Buffer.from('Ein Käfer brummt.\n', 'latin1'),
    'l.txt': Buffer.from('Moss covers the stone.\n', 'utf16le'),
    'broken.docx': 'no archive',
    'broken.xlsx': makeXlsx({ A: '' }).subarray(40),
    'broken.ipynb': '{',
    'old.doc': new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, 'files', name), content);
  const { stdout } = await pegboard('rag', 'index', 'files', '--json');
  const report: unknown = JSON.parse(stdout);
  expect(report).toMatchObject({
    indexed: 12,
    skipped: [
      { path: 'files/broken.docx', reason: expect.stringContaining('is a broken docx file: ') },
      { path: 'files/broken.ipynb', reason: 'is not a notebook: it is not JSON' },
      { path: 'files/broken.xlsx', reason: expect.stringContaining('is a broken xlsx file: ') },
      { path: 'files/old.doc', reason: 'has a format of Office before 2007; save it as .docx, .xlsx or .pptx' },
    ],
    notes: [expect.stringContaining('1 file is not UTF-8 and was read as Windows-1252: files/k.txt')],
  });
  const cited = async (query: string): Promise<string> => {
    const answer = await pegboard('call', 'docs', JSON.stringify({ query, limit: 1 }));
    return answer.stdout.split('--- Result 1 ---\n')[1]?.trim() ?? answer.stdout;
  };
  expect(await cited('umbrellas')).toMatch(/files\/a\.docx \| Policy\n# Policy\n\nUmbrellas are lent/);
  expect(await cited('gasket')).toMatch(
    /files\/b\.xlsx \(rows \d+-\d+\) \| Stock\n[^]*\| Name \| About \|\n\|---\|---\|\n[^]*\| Part 50 \| gasket \|/,
  );
  expect(await cited('apples')).toMatch(/files\/c\.pptx \(slides 1-2\)/);
  expect(await cited('bulbs')).toMatch(/files\/d\.odt \| Lamps/);
  expect(await cited('hedgehog')).toMatch(/files\/e\.ods \(rows 1-2\) \| Pets\n[^]*\| Hedgehog \| beetles \|/);
  expect(await cited('mast')).toMatch(/files\/f\.epub \| The sea/);
  expect(await cited('regression')).toMatch(/files\/g\.ipynb \(cells 1-2\) \| Model/);
  expect(await cited('melancholic')).toMatch(/files\/h\.csv:1-3\n\| Bird \| Song \|/);
  expect(await cited('dumplings')).toMatch(/files\/i\.eml \| Lunch\n# Lunch\n\nFrom: Ann <ann@example\.com>/);
  expect(await cited('glaciers')).toMatch(/files\/j\.mhtml \| Saved/);
  expect(await cited('käfer')).toMatch(/files\/k\.txt:1\nEin Käfer/);
  expect(await cited('moss')).toMatch(/files\/l\.txt:1\nMoss/);
  // Nothing was unpacked beside them.
  expect(readdirSync(join(folder, 'files')).toSorted()).toEqual(Object.keys(files).toSorted());
});
