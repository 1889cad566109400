import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { type Board, openBoard } from '../../index.ts';

/** A folder for the tests of a file, and boards in it. */
export interface CommandBoards {
  readonly folder: string;
  /** Opens a board with one command line `t`; `head` precedes its tools. */
  open(keys: string, head?: string): Promise<Board>;
}

/** Creates a folder that is removed after the tests of this file. */
export function commandBoards(): CommandBoards {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-command-')));
  // The board's data must not be in the folder that its commands walk.
  const folder = join(top, 'board');
  mkdirSync(folder);
  afterAll(() => rmSync(top, { recursive: true }));
  return {
    folder,
    async open(keys, head = '') {
      const file = join(folder, 'pegboard.yaml');
      writeFileSync(file, `${head}tools:\n  - name: t\n    type: cli\n    description: T\n    risk: read\n${keys}`);
      const board = await openBoard({ files: file, cwd: folder, data: join(top, 'data') });
      onTestFinished(() => board.close());
      return board;
    },
  };
}
