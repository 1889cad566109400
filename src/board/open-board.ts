import { BUILT_IN_FEATURES } from '../features/built-in-features.ts';
import { nearestNames } from '../tool/texts/suggest.ts';
import { ToolError } from '../tool/tool-error.ts';
import { type Board, toBoard } from './board.ts';
import { BoardReader } from './board-reader.ts';
import { LiveBoard } from './live-board.ts';
import type { OpenBoardOptions } from './open-board-options.ts';
import { prepareBoard } from './read-board.ts';

/** Opens files, and everything that the options define in code, as a board. Throws a `ConfigError` with all faults. */
export async function openBoard(
  files: string | readonly string[] | undefined,
  options: OpenBoardOptions = {},
): Promise<Board> {
  checkOptions(options);
  const given = files === undefined ? [] : typeof files === 'string' ? [files] : files;
  const setup = prepareBoard(given, options, BUILT_IN_FEATURES);
  const { resources } = setup;
  try {
    const reader = await BoardReader.open(setup);
    const board = toBoard(new LiveBoard(await reader.first(), setup, reader));
    resources.stand(board);
    board.start();
    if (options.watch !== undefined && options.watch !== false) board.watch();
    return board;
  } catch (error) {
    await resources.disconnect();
    await resources.close();
    throw error;
  }
}

/** Rejects unknown options: a misspelt `policy` must not be ignored. */
function checkOptions(options: OpenBoardOptions): void {
  const stranger = Object.keys(options).find((key) => !Object.hasOwn(OPTIONS, key));
  if (stranger === undefined) return;
  const known = ['files', ...Object.keys(OPTIONS)];
  const [nearest] = nearestNames(stranger, known, 1);
  const hint = nearest === undefined ? `Use: ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  throw new ToolError({ code: 'invalid_arguments', message: `openBoard has no option "${stranger}". ${hint}` });
}

const OPTIONS: Readonly<Record<keyof OpenBoardOptions, true>> = {
  tools: true,
  policy: true,
  knowledge: true,
  mcpServers: true,
  sections: true,
  kinds: true,
  plugins: true,
  store: true,
  env: true,
  cwd: true,
  approve: true,
  discoveryTools: true,
  mode: true,
  watch: true,
  allowHosts: true,
  processes: true,
  data: true,
  eager: true,
  servers: true,
  faults: true,
  elicit: true,
  login: true,
  approveChanges: true,
  lock: true,
  timeout: true,
  concurrency: true,
  retries: true,
  retryDelay: true,
  coerce: true,
  maxInput: true,
  maxValues: true,
  maxOutput: true,
  maxMedia: true,
  maxModelOutput: true,
  keepOutput: true,
  clock: true,
};
