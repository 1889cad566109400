// The compiled kernels are what their sources give.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('has the kernels that wasm/*.ts compile to', () => {
  const root = join(import.meta.dirname, '..');
  const { stderr, status } = spawnSync(process.execPath, ['scripts/generate-wasm.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});
