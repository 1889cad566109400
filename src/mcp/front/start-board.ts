import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { StartResult } from './reach-board.ts';

/** The command that starts a board. */
export interface StartOptions {
  /** The file of the command line. */
  readonly program: string;
  /** The options and files of `pegboard serve --shared`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The stream on which a board reports that fronts can attach to it, and the variable that asks for the report. */
export const READY_STREAM = 3;
export const READY_VARIABLE = 'PEGBOARD_READY';

/** Starts the process of a board, which outlives this one, and waits until fronts can attach to it. */
export async function startBoard({ program, args, env, cwd }: StartOptions): Promise<StartResult> {
  const words = [process.execPath, ...process.execArgv, program, 'serve', '--shared', ...args];
  const [file = '', ...rest] = process.platform === 'win32' ? words : APART.concat(words);
  const child = spawn(file, rest, {
    cwd,
    env: { ...env, [READY_VARIABLE]: '1' },
    // A session of its own: signals to the group of this process must not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const failure = new Promise<StartResult>((resolve) =>
    child.once('error', ({ message }) => resolve({ type: 'standalone', reason: message })),
  );
  const { stderr } = child;
  // Both are pipes, as asked for above; missing when no file descriptor is left.
  const ready = child.stdio[READY_STREAM] as Readable | null | undefined;
  if (ready === null || ready === undefined) return failure;
  const errors = stderr === null ? Promise.resolve('') : text(stderr);
  const report = text(ready).then(async (reported): Promise<StartResult> => {
    // Written by `reportStart` of the same version.
    if (reported !== '') return JSON.parse(reported) as StartResult;
    return { type: 'failed', message: (await errors).trim() };
  });
  try {
    return await Promise.race([report, failure]);
  } finally {
    // The board goes on without a reader.
    errors.catch(() => {});
    stderr?.destroy();
    child.unref();
  }
}

/**
 * A shell that starts the words after it and ends at once. The board is then no child of the front that happened to start it: some clients
 * end a server with all its children, which would end the board of all others.
 */
const APART: readonly string[] = ['sh', '-c', '"$0" "$@" &'];
