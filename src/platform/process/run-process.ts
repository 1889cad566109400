import type { Readable, Writable } from 'node:stream';
import { watchCall } from './trees/board-watcher.ts';
import { createMark, markEnvironment } from './trees/call-mark.ts';
import { checkRequest } from './check-request.ts';
import { endTree } from './trees/end-tree.ts';
import { explainSpawnError } from './spawn/explain-spawn-error.ts';
import { killAtExit } from './trees/kill-at-exit.ts';
import { type ProcessTree, signalTree } from './trees/kill-tree.ts';
import { captureOutput } from '../outputs/output-capture.ts';
import type { LimitName, OutputsSoFar, ProcessOutcome, ProcessRequest, Question } from './process-request.ts';
import { HELPER_GONE, type SpawnedChild } from './spawn/spawned-child.ts';
import { sharedSpawner } from './spawn/spawner.ts';
import { waitForOutputs } from '../outputs/wait-for-outputs.ts';

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
  const { file, args, cwd, env, stdin, signal, spawner = sharedSpawner() } = request;
  if (signal?.aborted === true)
    return { type: 'failed', reason: 'cancelled', message: `The call was cancelled before "${file}" was started.` };
  const mark = createMark();
  const hasStdin = stdin !== undefined;
  const forgetWatch = watchCall(mark);
  try {
    const child = await spawner.spawn({ file, args, cwd, env: markEnvironment(env, mark), hasStdin, mark });
    if (child.type === 'error') {
      // The helper may have started the child before it died: then only the mark identifies it.
      if (child.code === HELPER_GONE)
        endTree({ pid: 0, mark, isReaped: true, seen: new Map() }, request.grace ?? DEFAULT_GRACE);
      return explainSpawnError(child, request);
    }
    return await follow(child, { pid: child.pid, mark, isReaped: false, seen: new Map() }, request);
  } finally {
    forgetWatch();
  }
}

async function follow(child: SpawnedChild, tree: ProcessTree, request: ProcessRequest): Promise<ProcessOutcome> {
  const { signal, grace = DEFAULT_GRACE, capture } = request;
  const stopListening = listen(child, request);
  // A listener without stored output consumes everything.
  const options = { ...capture, isHeard: capture === undefined && request.onOutput !== undefined };
  const stdout = captureOutput(child.stdout, options);
  const stderr = captureOutput(child.stderr, options);
  const outputs = {
    size: () => stdout.size + stderr.size,
    peek: () => ({ stdout: stdout.peek(), stderr: stderr.peek() }),
  };
  request.onStart?.(outputs.peek);
  const forgetExit = killAtExit(tree);
  const end = (): void => endTree(tree, grace);
  const watch = watchLimits(tree, request);
  const questions = endAtQuestion(tree, request, outputs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  feed(child.stdin, request.stdin);
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
    const { code, signal: endedBy } = exit;
    return {
      type: 'exited',
      code,
      signal: endedBy,
      stdout: kept[0],
      stderr: kept[1],
      ...watch.found(),
      ...questions.found(),
    };
  } finally {
    signal?.removeEventListener('abort', end);
    watch.stop();
    questions.stop();
    stopListening();
    forgetExit();
    child.stdin?.destroy();
    for (const stream of [child.stdout, child.stderr]) release(stream, signal?.aborted === true);
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

/** Ends a tree that exceeds a limit and reports the limit. */
function watchLimits(
  tree: ProcessTree,
  { findExceeded }: ProcessRequest,
): { found(): { readonly exceeded?: LimitName }; stop(): void } {
  if (findExceeded === undefined) return { found: () => ({}), stop: () => {} };
  let exceeded: LimitName | undefined;
  const timer = setInterval(() => {
    exceeded = findExceeded(tree);
    if (exceeded === undefined) return;
    clearInterval(timer);
    signalTree(tree, 'SIGKILL');
    // Processes forked between the check and the signal are found by further checks, even after the main child has ended.
    endTree(tree, 0);
  }, LIMIT_PAUSE);
  return { found: () => (exceeded === undefined ? {} : { exceeded }), stop: () => clearInterval(timer) };
}

/** Ends a tree that waits for a person's answer and reports the question. */
function endAtQuestion(
  tree: ProcessTree,
  { watchQuestion, grace = DEFAULT_GRACE }: ProcessRequest,
  outputs: OutputsSoFar,
): { found(): { readonly question?: Question }; stop(): void } {
  if (watchQuestion === undefined || process.platform !== 'linux') return { found: () => ({}), stop: () => {} };
  let question: Question | undefined;
  let watch: (() => Question | undefined) | undefined;
  const look = async (): Promise<void> => {
    // Most commands end before the first check and need none.
    watch ??= await watchQuestion(tree, outputs);
    if (question !== undefined || tree.isReaped) return;
    question = watch();
    if (question === undefined) return;
    clearInterval(timer);
    endTree(tree, grace);
  };
  // If no more files can be opened, the timeout ends the command.
  const timer = setInterval(() => void look().catch(() => {}), QUESTION_PAUSE);
  return { found: () => (question === undefined ? {} : { question }), stop: () => clearInterval(timer) };
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
