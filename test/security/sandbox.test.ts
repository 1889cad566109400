// A sandbox as config files ask for it: real bubblewrap around real commands.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openBoard } from '../../src/board/open-board.ts';
import { needs } from '../needs.test-helper.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-sandbox-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const config = join(folder, 'config');
const elsewhere = join(folder, 'elsewhere');
for (const path of [config, elsewhere]) mkdirSync(join(path, 'notes'), { recursive: true });
writeFileSync(join(config, 'notes/file'), 'beside the config\n');
writeFileSync(join(elsewhere, 'notes/file'), 'in the working folder\n');

describe('sandbox: bwrap', needs('sandbox'), () => {
  it('takes relative folders from the folder of the config, wherever the board was opened', async () => {
    const file = join(config, 'pegboard.yaml');
    writeFileSync(
      file,
      `tools:
  - { type: cli, name: show, description: Shows, command: [cat, ${config}/notes/file], sandbox: { type: bwrap, read: [./notes] } }
  - { type: cli, name: here, description: Shows, command: [cat, file], working_dir: notes, sandbox: { type: bwrap, read: [notes] } }
  - { type: cli, name: other, description: Shows, command: [cat, ${elsewhere}/notes/file], sandbox: { type: bwrap, read: [notes] } }
  - { type: cli, name: note, description: Writes, command: [sh, -c, "echo new > new"], working_dir: notes, sandbox: { type: bwrap, write: [notes] } }
`,
    );
    const board = await openBoard(file, { cwd: elsewhere, data: join(folder, 'data') });
    expect((await board.call('show')).text).toBe('beside the config\n');
    expect((await board.call('here')).text).toBe('beside the config\n');
    expect((await board.call('other')).text).toContain('No such file or directory');
    expect((await board.call('note')).ok).toBe(true);
    expect(readFileSync(join(config, 'notes/new'), 'utf8')).toBe('new\n');
    await board.close();
  });
});
