import { setTimeout as wait } from 'node:timers/promises';
import type { Readable, Writable } from 'node:stream';
import { watchCall } from './trees/board-watcher.ts';
import { createMark, markEnvironment } from './trees/call-mark.ts';
import { checkRequest } from './check-request.ts';
import { endTree } from './trees/end-tree.ts';
import { explainSpawnError } from './spawn/explain-spawn-error.ts';
import { killAtExit } from './trees/kill-at-exit.ts';
import type { ProcessTree } from './trees/kill-tree.ts';
import type { ProcessFailure, ProcessRequest } from './process-request.ts';
import type { ChildExit } from './spawn/spawned-child.ts';
import { sharedSpawner } from './spawn/spawner.ts';

/** A process that runs until it exits or is stopped. */
export interface RunningProcess {
  readonly type: 'started';
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never rejects. */
  readonly exit: Promise<ChildExit>;
  /** Closes its input, waits `patience` milliseconds for its exit, then ends the whole tree: TERM, and KILL after `grace`. */
  stop(options?: { readonly patience?: number; readonly grace?: number }): Promise<void>;
}

type StartRequest = Pick<ProcessRequest, 'file' | 'args' | 'cwd' | 'env' | 'spawner'>;

const DEFAULT_PATIENCE = 1000;
const DEFAULT_GRACE = 2000;

/**
 * Starts a process that outlives a call, without a shell.
 *
 * It ends with the board, even if the board is killed with -9. Throws `invalid_arguments` for values that a child cannot receive.
 */
export async function startProcess(request: StartRequest): Promise<RunningProcess | ProcessFailure> {
  checkRequest(request);
  const { file, args, cwd, env, spawner = sharedSpawner() } = request;
  const mark = createMark();
  const forgetWatch = watchCall(mark);
  const asked = { file, args, cwd, env: markEnvironment(env, mark), hasStdin: true, mark };
  const child = await spawner.spawn(asked).catch((error: unknown) => {
    forgetWatch();
    throw error;
  });
  if (child.type === 'error') {
    forgetWatch();
    return explainSpawnError(child, request);
  }
  const { pid, stdin, stdout, stderr } = child;
  const tree: ProcessTree = { pid, mark, isReaped: false, seen: new Map() };
  const forget = killAtExit(tree);
  // Not earlier: a board killed in between would leave the process behind.
  forgetWatch();
  const exit = child.exit.then((how) => {
    tree.isReaped = true;
    // Ends processes that it left behind.
    endTree(tree, 0);
    forget();
    return how;
  });
  if (stdin === undefined) throw new Error('A child that was asked for with standard input has none.');
  // A child may exit without reading all of its input.
  stdin.on('error', () => {});
  return {
    type: 'started',
    pid,
    stdin,
    stdout,
    stderr,
    exit,
    stop: async ({ patience = DEFAULT_PATIENCE, grace = DEFAULT_GRACE } = {}) => {
      stdin.end();
      await waitAtMost(exit, patience);
      if (!tree.isReaped) {
        endTree(tree, grace);
        await waitAtMost(exit, grace + DEFAULT_PATIENCE);
      }
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
  };
}

async function waitAtMost(work: Promise<unknown>, milliseconds: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, wait(milliseconds, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}
