// A command or a server that prints without end is slowed down: it costs no more memory than a bare reader of Node.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const HELPER = join(import.meta.dirname, 'endless-output.test-helper.ts');
const MEBIBYTE = 1024 ** 2;

async function read(way: string): Promise<{ readonly growth: number; readonly found: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, [HELPER, way, '4000']);
  return JSON.parse(stdout);
}

it('grows the board no more than bare Node that reads the same', async () => {
  const bare = await read('bare');
  const command = await read('command');
  expect(command.found).toBe('SIGTERM 262144');
  expect(command.growth).toBeLessThan(bare.growth + 16 * MEBIBYTE);
  const stderr = await read('stderr');
  expect(stderr.found).toBe('y');
  expect(stderr.growth).toBeLessThan(bare.growth + 16 * MEBIBYTE);
}, 120_000);
