import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CodeResult, resumeCode, runCode } from '../../src/code.ts';
import { openLedger, PROGRAMS, readLedger } from '../fixtures/run-programs.ts';

const folders: string[] = [];

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-killed-'));
  writeFileSync(join(folder, 'ledger'), '');
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Returns the results of each program without faults. */
async function runUndisturbed(): Promise<Map<string, CodeResult>> {
  const board = await openLedger(makeFolder());
  const results = new Map<string, CodeResult>();
  for (const [id, code] of Object.entries(PROGRAMS)) results.set(id, await runCode(board, code, { id }));
  await board.close();
  return results;
}

let expected: Map<string, CodeResult>;

beforeAll(async () => {
  expected = await runUndisturbed();
});

describe('programs whose process is killed', () => {
  // The longest program makes six points.
  it.each([1, 2, 3, 4, 5, 6])('go on after a kill at point %i of each, and write nothing twice', async (point) => {
    const folder = makeFolder();
    const child = spawn(process.execPath, ['test/fixtures/run-programs.ts', folder, String(point)], {
      stdio: 'inherit',
    });
    expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
    const before = readLedger(folder);
    const board = await openLedger(folder);
    try {
      const ids = Object.keys(PROGRAMS);
      const results = await Promise.all(ids.map((id) => resumeCode(board, id)));
      // Asked once more, each gives what it gave.
      expect(await Promise.all(ids.map((id) => resumeCode(board, id)))).toEqual(results);
      for (const [place, result] of results.entries()) {
        const id = ids[place] ?? '';
        const hasBegun = before.some(([program, tool]) => program === id && tool === 'write') || point % 2 === 1;
        if (!result.ok) {
          expect([id, result.error.code, hasBegun]).toEqual([id, 'outcome_unknown', true]);
        } else if (id === 'random') {
          const [text] = result.value as string[];
          expect(readLedger(folder).find(([program, tool]) => program === id && tool === 'write')?.[2]).toBe(text);
        } else if (result.value !== 'outcome_unknown') {
          expect([id, result.value]).toEqual([id, expected.get(id)?.value]);
        }
      }
      const written = readLedger(folder).filter(([, tool]) => tool === 'write');
      expect(written.length).toBe(new Set(written.map(([, , , key]) => key)).size);
    } finally {
      await board.close();
    }
  });
});
