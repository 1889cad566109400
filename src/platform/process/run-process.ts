import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { watchCall } from './trees/board-watcher.ts';
import { createMark, markEnvironment } from './trees/call-mark.ts';
import {
  checkRequest,
  type LimitName,
  type OutputsSoFar,
  type ProcessFailure,
  type ProcessFailureReason,
  type ProcessOutcome,
  type ProcessRequest,
  type Question,
} from './process-request.ts';
import { endTree, killAtExit, type ProcessTree, signalTree } from './trees/kill-tree.ts';
import { type ChildExit, HELPER_GONE, type SpawnedChild, type SpawnError } from './spawn/spawned-child.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { captureOutput, waitForOutputs } from '../outputs/output-capture.ts';
import { sharedSpawner } from './spawn/spawner.ts';
import { setTimeout as wait } from 'node:timers/promises';

const DEFAULT_GRACE = 2000;
/** Milliseconds between limit checks. */
const LIMIT_PAUSE = 100;
/** Milliseconds between question checks. */
const QUESTION_PAUSE = 500;
/** Bytes to read and drop from a grandchild that outlives a call. */
const MAX_DRAINED = 16 * 1024 * 1024;

/**
 * Runs a command line without a shell.
 *
 * Throws `invalid_arguments` for values that a child cannot receive byte for byte. When the signal aborts, the whole process tree gets
 * TERM and, after the grace time, KILL. Resolves as soon as the child itself has ended; never waits for a grandchild that holds the output
 * open.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessOutcome> {
  checkRequest(request);
  const { file, stdin, signal, grace = DEFAULT_GRACE, capture, findExceeded, watchQuestion } = request;
  const isCancelled = (): boolean => signal?.aborted === true;
  if (isCancelled())
    return { type: 'failed', reason: 'cancelled', message: `The call was cancelled before "${file}" was started.` };
  const started = await launch(request, stdin !== undefined);
  if (started.type === 'failed') return started;
  const { child, tree, forgetExit } = started;
  const stopListening = listen(child, request);
  // A listener without stored output consumes everything.
  const options = { ...capture, isHeard: capture === undefined && request.onOutput !== undefined };
  const stdout = captureOutput(child.stdout, options);
  const stderr = captureOutput(child.stderr, options);
  const outputs: OutputsSoFar = {
    size: () => stdout.size + stderr.size,
    peek: () => ({ stdout: stdout.peek(), stderr: stderr.peek() }),
  };
  request.onStart?.(outputs.peek);
  const end = (): void => endTree(tree, grace);
  const limits = watchTree<LimitName>(LIMIT_PAUSE, findExceeded && (async () => findExceeded(tree)), () => {
    signalTree(tree, 'SIGKILL');
    // Processes forked between the check and the signal are found by further checks, even after the main child has ended.
    endTree(tree, 0);
  });
  let watch: (() => Question | undefined) | undefined;
  const look = async (): Promise<Question | undefined> => {
    // Most commands end before the first check and need none.
    watch ??= await watchQuestion?.(tree, outputs);
    return tree.isReaped ? undefined : watch?.();
  };
  const questions = watchTree<Question>(
    QUESTION_PAUSE,
    process.platform === 'linux' ? watchQuestion && look : undefined,
    end,
  );
  signal?.addEventListener('abort', end, { once: true });
  if (isCancelled()) end();
  feed(child.stdin, stdin);
  try {
    const exit = await child.exit;
    if (exit.type === 'lost') {
      end();
      // The pid is certainly still the child's until the first signal, which is sent before this.
      setImmediate(() => (tree.isReaped = true));
      return { type: 'failed', reason: 'other', message: `${exit.message}.` };
    }
    tree.isReaped = true;
    await waitForOutputs([stdout, stderr], signal);
    const kept = await Promise.all([stdout.finish(), stderr.finish()]);
    return { ...exit, stdout: kept[0], stderr: kept[1], exceeded: limits.found(), question: questions.found() };
  } finally {
    signal?.removeEventListener('abort', end);
    limits.stop();
    questions.stop();
    stopListening();
    forgetExit();
    child.stdin?.destroy();
    for (const stream of [child.stdout, child.stderr]) release(stream, isCancelled());
  }
}

type StartRequest = Pick<ProcessRequest, 'file' | 'args' | 'cwd' | 'env' | 'spawner'>;

interface Launched {
  readonly type: 'launched';
  readonly child: SpawnedChild;
  readonly tree: ProcessTree;
  /** Stops killing the tree when this process exits. */
  readonly forgetExit: () => void;
}

/** Starts a marked child whose tree is killed when this process ends in any way. */
async function launch(
  { grace = DEFAULT_GRACE, ...request }: StartRequest & Pick<ProcessRequest, 'grace'>,
  hasStdin: boolean,
): Promise<Launched | ProcessFailure> {
  const { file, args, cwd, env, spawner = sharedSpawner() } = request;
  const mark = createMark();
  const tree = { pid: 0, mark, isReaped: true, seen: new Map<number, string>() };
  // Watched until the tree is: a board killed in between would leave the child behind.
  const forgetWatch = watchCall(mark);
  try {
    const child = await spawner.spawn({ file, args, cwd, env: markEnvironment(env, mark), hasStdin, mark });
    if (child.type === 'error') {
      // The helper may have started the child before it died: then only the mark identifies it.
      if (child.code === HELPER_GONE) endTree(tree, grace);
      return explainSpawnError(child, request);
    }
    const started = { ...tree, pid: child.pid, isReaped: false };
    return { type: 'launched', child, tree: started, forgetExit: killAtExit(started) };
  } finally {
    forgetWatch();
  }
}

/** Passes on the child's output until the returned function is called. */
function listen(child: SpawnedChild, { onOutput }: ProcessRequest): () => void {
  if (onOutput === undefined) return () => {};
  const stops = (['stdout', 'stderr'] as const).map((name) => {
    const take = (chunk: Buffer): void => onOutput(chunk, name);
    child[name].on('data', take);
    return () => child[name].off('data', take);
  });
  return () => stops.forEach((stop) => stop());
}

/** Checks a tree periodically until `look` finds a reason to end it. */
function watchTree<Reason>(
  pause: number,
  look: (() => Promise<Reason | undefined>) | undefined,
  end: () => void,
): { found(): Reason | undefined; stop(): void } {
  let found: Reason | undefined;
  const check = async (): Promise<void> => {
    const reason = await look?.();
    if (found !== undefined || reason === undefined) return;
    found = reason;
    clearInterval(timer);
    end();
  };
  // If no more files can be opened, the timeout ends the command.
  const timer = look && setInterval(() => void check().catch(() => {}), pause);
  return { found: () => found, stop: () => clearInterval(timer) };
}

function feed(stdin: Writable | undefined, data: string | Uint8Array | undefined): void {
  // A child may exit without reading all of its input.
  stdin?.on('error', () => {});
  stdin?.end(data);
}

/** Releases a stream. A grandchild that keeps writing after a normal exit blocks eventually, but is not killed. */
function release(stream: Readable, isCancelled: boolean): void {
  if (stream.readableEnded || isCancelled || !(stream instanceof process.getBuiltinModule('node:net').Socket)) {
    stream.destroy();
    return;
  }
  let drained = 0;
  stream.on('data', (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > MAX_DRAINED) stream.pause();
  });
  stream.resume();
  stream.unref();
}

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

const DEFAULT_PATIENCE = 1000;

/**
 * Starts a process that outlives a call, without a shell.
 *
 * It ends with the board, even if the board is killed with -9. Throws `invalid_arguments` for values that a child cannot receive.
 */
export async function startProcess(request: StartRequest): Promise<RunningProcess | ProcessFailure> {
  checkRequest(request);
  const started = await launch(request, true);
  if (started.type === 'failed') return started;
  const { child, tree, forgetExit } = started;
  const { pid, stdin, stdout, stderr } = child;
  const exit = child.exit.then((how) => {
    tree.isReaped = true;
    // Ends processes that it left behind.
    endTree(tree, 0);
    forgetExit();
    return how;
  });
  if (stdin === undefined) throw new Error('A child that was asked for with standard input has none.');
  // A child may exit without reading all of its input.
  stdin.on('error', () => {});
  const stop: RunningProcess['stop'] = async ({ patience = DEFAULT_PATIENCE, grace = DEFAULT_GRACE } = {}) => {
    stdin.end();
    await waitAtMost(exit, patience);
    if (!tree.isReaped) {
      endTree(tree, grace);
      await waitAtMost(exit, grace + DEFAULT_PATIENCE);
    }
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  };
  return { type: 'started', pid, stdin, stdout, stderr, exit, stop };
}

async function waitAtMost(work: Promise<unknown>, milliseconds: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, wait(milliseconds, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}

/** Explains why a child did not start and how to fix it. The system uses one code for several causes. */
export function explainSpawnError(
  { code, message }: SpawnError,
  { file, cwd }: Pick<ProcessRequest, 'file' | 'cwd'>,
): ProcessFailure {
  const program = describeValue(file, 200);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES': {
      const fault = cwd === undefined ? undefined : findFault(cwd);
      if (fault !== undefined)
        return failure('bad_cwd', `The working directory ${describeValue(cwd, 200)} ${fault}. Give an existing one.`);
      return code === 'EACCES' ? notExecutable(program) : notFound(program, resolve(cwd ?? '.'), file);
    }
    case 'ENOEXEC':
    case 'EISDIR':
      return notExecutable(program);
    case 'E2BIG':
      return failure(
        'too_large',
        'The arguments and the environment are over what the system takes. Pass the data on standard input or in a file.',
      );
    case HELPER_GONE:
      // The child may have started: only the helper's end is known.
      return failure('other', `${message}.`);
    default:
      return failure('other', `The command ${program} could not be started: ${message}.`);
  }
}

/** Returns the reason why a folder cannot be a working directory. */
function findFault(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return 'is not a directory';
  } catch {
    return 'does not exist';
  }
  try {
    accessSync(cwd, constants.X_OK);
  } catch {
    return 'may not be entered';
  }
  return undefined;
}

function notFound(program: string, folder: string, file: string): ProcessFailure {
  if (!file.includes('/'))
    return failure('not_found', `The command ${program} was not found in PATH. Install it, or give its full path.`);
  return existsSync(resolve(folder, file))
    ? failure('not_executable', `The interpreter that ${program} names in its first line was not found. Install it.`)
    : failure(
        'not_found',
        `The command ${program} does not exist${isAbsolute(file) ? '' : ` in ${describeValue(folder, 200)}`}. Install it, or correct its path.`,
      );
}

function notExecutable(program: string): ProcessFailure {
  return failure('not_executable', `The command ${program} may not be executed. Make it executable with chmod +x.`);
}

function failure(reason: ProcessFailureReason, message: string): ProcessFailure {
  return { type: 'failed', reason, message };
}
