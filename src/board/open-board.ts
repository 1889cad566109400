import { BoardResources } from './board-resources.ts';
import type { Board, OpenBoardOptions } from './board.ts';
import { LiveBoard } from './live-board.ts';
import { createReader } from './assembly/read-board.ts';

/** Opens files, and all that the options give in code, as a board. Throws a `ConfigError` that shows every fault. */
export async function openBoard(
  files: string | readonly string[] | undefined,
  options: OpenBoardOptions = {},
): Promise<Board> {
  const { allowHosts, data, processes, store, discoveryTools, watch } = options;
  const resources = new BoardResources({ allowHosts, data, processes, store });
  const given = files === undefined ? [] : typeof files === 'string' ? [files] : files;
  const read = createReader(given, options, resources);
  try {
    const board = new LiveBoard(await read(), { resources, read, executor: options, discoveryTools });
    if (watch === true) board.watch();
    return board;
  } catch (error) {
    await resources.disconnect();
    await resources.endCalls();
    resources.close();
    throw error;
  }
}
