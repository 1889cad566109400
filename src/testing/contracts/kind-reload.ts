import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContractCheck, expectSame, expectTrue } from './contract.ts';
import { expectAnswer, inFolder, type KindSample, type KindSubject, make, onBoard, useBoard } from './kind-subject.ts';

/** Checks that a board works the same from every working folder. */
export function kindFolders(subject: KindSubject): ContractCheck[] {
  const { kind, input, relative } = subject;
  const fromElsewhere = (name: string, sample: KindSample | undefined): ContractCheck =>
    inFolder(name, { subject, board: sample?.board }, async (folder) => {
      expectTrue(sample !== undefined, 'the kind has paths: give relative');
      const elsewhere = mkdtempSync(join(tmpdir(), 'pegboard-elsewhere-'));
      try {
        await useBoard(await folder.open({ cwd: elsewhere }), async (board) => {
          expectAnswer(await make(board, subject, { input, ...sample }), sample.answer);
        });
      } finally {
        rmSync(elsewhere, { recursive: true, force: true });
      }
    });
  return [
    fromElsewhere('answers from another working folder', subject),
    ...(kind.paths.length === 0
      ? []
      : [fromElsewhere('finds relative paths of the entry from another working folder', relative)]),
  ];
}

/** Checks that unchanged tools stay, changes take effect, and a broken file changes nothing. */
export function kindReload(subject: KindSubject): ContractCheck[] {
  const { tool, input, answer, changed, broken } = subject;
  return [
    onBoard('keeps its tools when unchanged files are read again', { subject }, async (board) => {
      const before = board.registry.getAll();
      const updated: string[] = [];
      board.registry.on('tool:updated', ({ name }) => updated.push(name));
      expectSame(await board.reload(), { ok: true });
      expectSame(updated, [], 'no tool is reported as changed');
      const isSame = before.every((one) => board.registry.get(one.metadata.name) === one);
      expectTrue(isSame, 'they are the same objects');
      expectAnswer(await board.call(tool, input), answer);
    }),
    onBoard('applies changed settings on a reload', { subject }, async (board, folder) => {
      expectAnswer(await board.call(tool, input), answer);
      folder.write(changed.board);
      expectSame(await board.reload(), { ok: true });
      expectAnswer(await make(board, subject, { input, ...changed }), changed.answer);
    }),
    ...broken.slice(0, 1).map((mistake) =>
      onBoard('stays unchanged when its file is broken', { subject }, async (board, folder) => {
        folder.write(mistake.board);
        const { ok } = await board.reload();
        expectTrue(!ok, 'the reload fails');
        expectAnswer(await board.call(tool, input), answer);
      }),
    ),
  ];
}
