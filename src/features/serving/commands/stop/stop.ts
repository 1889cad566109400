import type { FoundBoard } from '../../../../mcp/front/board-notice.ts';
import { listNotices } from '../../../../mcp/front/board-notice.ts';
import { PATIENCE } from '../../../../mcp/front/board-states.ts';
import { openBoardsFolder } from '../../../../mcp/front/boards-folder.ts';
import { connectBoard } from '../../../../mcp/front/connect-board.ts';
import { isAlive, removeIfDead } from '../../../../mcp/front/reach-board.ts';
import { findBoardFiles } from '../../../../cli/shared/board/find-board-files.ts';
import { findConfig } from '../../../../cli/shared/board/find-config.ts';
import type { CliContext } from '../../../../cli/shared/cli-context.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT, flag } from '../../../../cli/shared/command.ts';
import { UsageError } from '../../../../cli/shared/usage-error.ts';

export const stop = defineCommand({
  name: 'stop',
  description:
    'Stops the running board of this folder, which finishes its calls first, and waits until it has ended. Clients that were attached start another one with their next message.',
  arguments: [FILES_ARGUMENT],
  options: { ...FILE_OPTION, all: flag('Stop all boards of this user on this machine') },
  examples: [
    ['pegboard stop', 'the board of this folder'],
    ['pegboard stop --all', 'before you turn off the machine, or to free memory'],
  ],
  async run({ values, positionals, context }) {
    const given = [...positionals, ...values.file];
    if (values.all && given.length > 0) throw new UsageError('--all takes no files.', 'stop');
    const wanted = values.all ? undefined : findWanted(given, context);
    const boards = listNotices(openBoardsFolder(context.env)).filter(
      ({ files }) => wanted === undefined || JSON.stringify(files) === JSON.stringify(wanted),
    );
    const ends = await Promise.all(
      boards.map(async (board) => ({ board, end: await stopBoard(board, context.signal) })),
    );
    const stopped = ends.filter(({ end }) => end === 'stopped');
    const deaf = ends.filter(({ end }) => end === 'deaf');
    const none = wanted === undefined ? 'No board is running.' : `No board is running for ${wanted.join(', ')}.`;
    return {
      data: { stopped: stopped.map(describe), failed: deaf.map(describe) },
      view: stopped.map(({ board }) => `Stopped the board of ${board.files.join(', ')} (pid ${board.pid}).`),
      notes: [
        ...(stopped.length + deaf.length === 0 ? [none] : []),
        ...(stopped.length > 0 ? ['Clients that were attached start another one with their next message.'] : []),
        ...deaf.map(
          ({ board }) =>
            `The board of ${board.files.join(', ')} does not answer. End its process with: kill ${board.pid}`,
        ),
      ],
      exitCode: deaf.length === 0 ? 0 : 1,
    };
  },
});

function findWanted(given: readonly string[], context: CliContext): readonly string[] | undefined {
  const named = findConfig(given, context);
  return findBoardFiles(named, context) ?? named;
}

interface StoppedBoard {
  readonly board: FoundBoard;
}

function describe({ board: { pid, files, version } }: StoppedBoard): Pick<FoundBoard, 'pid' | 'files' | 'version'> {
  return { pid, files, version };
}

/** Asks a board to stop and waits until its process has ended. */
async function stopBoard(board: FoundBoard, signal: AbortSignal): Promise<'stopped' | 'gone' | 'deaf'> {
  const link = await connectBoard(board, { type: 'stop' }, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]));
  if (link === undefined) {
    removeIfDead(board);
    return isAlive(board) ? 'deaf' : 'gone';
  }
  const { socket } = link;
  // The connection ends with the process.
  await new Promise((resolve) => {
    socket.once('close', resolve).on('error', () => {});
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    socket.resume();
  });
  return signal.aborted ? 'deaf' : 'stopped';
}
