import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Board, openBoard } from '../../src/index.ts';

/** The folder of the packs. */
export const PACKS: string = join(import.meta.dirname, '../../packs');

/** A board with one pack, as `pegboard init --pack` writes it, in a folder of its own. Every question is answered with yes. */
export interface OpenedPack {
  readonly board: Board;
  readonly folder: string;
  /** Writes a file into the folder. */
  write(path: string, text: string): string;
  /** Calls a tool and gives its text, with the code of a failure before it. */
  call(name: string, args?: Record<string, unknown>): Promise<string>;
}

/** Opens a pack; `env` is what the board has besides PATH and a home of its own. */
export async function openPack(name: string, env: Readonly<Record<string, string>> = {}): Promise<OpenedPack> {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), `pegboard-pack-${name}-`)));
  onTestFinished(() => rmSync(outer, { recursive: true, force: true }));
  // Files beside the folder are out of bounds.
  writeFileSync(join(outer, 'secret.txt'), 'hunter2\n');
  const folder = join(outer, 'board');
  mkdirSync(join(folder, 'packs'), { recursive: true });
  copyFileSync(join(PACKS, `${name}.yaml`), join(folder, `packs/${name}.yaml`));
  const file = join(folder, 'pegboard.yaml');
  // git replaces files of the folder, the board's too.
  const files = name === 'git' ? ', files: { board: write }' : '';
  const policy = `{ roots: [.], approval: { global: destructive }${files} }`;
  writeFileSync(file, `import: [packs/${name}.yaml]\npolicy: ${policy}\n`);
  const board = await openBoard(file, {
    cwd: folder,
    data: join(outer, 'data'),
    env: { PATH: process.env['PATH'] ?? '', HOME: outer, XDG_STATE_HOME: process.env['XDG_STATE_HOME'], ...env },
    approve: async () => true,
  });
  onTestFinished(() => board.close());
  return {
    board,
    folder,
    write: (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      return join(folder, path);
    },
    call: async (tool, args = {}) => {
      const { ok, text, error } = await board.call(tool, args);
      return ok ? text : `${error?.code}: ${text}`;
    },
  };
}
