import type { ChildProcess, IOType, spawn, SpawnOptions } from 'node:child_process';
import type { Socket } from 'node:net';
import { killLeftTrees, type LeftTree } from '../trees/board-watcher.ts';
import type { SpawnRequest } from './spawned-child.ts';
import type { closeSync, constants, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';

/** A message from the board to its helper. */
export type HelperOrder =
  | { readonly type: 'setup'; readonly path: string; readonly token: string }
  | ({ readonly type: 'spawn'; readonly call: number } & SpawnRequest);

/** A message from the helper to its board. `sockets` are the numbers of those that the call used. */
export type HelperNews =
  | { readonly type: 'ready' }
  | { readonly type: 'started'; readonly call: number; readonly pid: number; readonly sockets: readonly number[] }
  | {
      readonly type: 'error';
      readonly call: number;
      readonly code: string;
      readonly message: string;
      readonly sockets: readonly number[];
    }
  | {
      readonly type: 'exit';
      readonly call: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };

/** The parts of Node that the helper uses. */
interface HelperTools {
  readonly setTimeout: (call: () => void, milliseconds: number) => unknown;
  readonly start: (request: SpawnRequest, stdio: Parameters<typeof spawnMarked>[2]) => ChildProcess;
  readonly Socket: typeof Socket;
  readonly process: NodeJS.Process;
  /** Kills the trees of these children. */
  readonly killTrees: (running: readonly LeftTree[]) => void;
}

/** Returns the program of the helper as CommonJS. It needs no file, so it also runs when the library is bundled. */
export function helperProgram(): string {
  return [
    // Some bundlers wrap functions in this to keep their names.
    'const __name = (target) => target;',
    "const fs = require('node:fs');",
    "const { spawn } = require('node:child_process');",
    `const killLeftTrees = ${killLeftTrees.toString()};`,
    `const spawnMarked = ${spawnMarked.toString()};`,
    `(${serveSpawns.toString()})({`,
    "  Socket: require('node:net').Socket, process, setTimeout,",
    '  start: (request, stdio) => spawnMarked({ spawn, fs, platform: process.platform }, request, stdio),',
    '  killTrees: (running) => killLeftTrees({ ...fs, process }, running),',
    '});',
  ].join('\n');
}

/**
 * Starts children for a board whose own process is too large to fork.
 *
 * The stdio of a child are sockets connected to the board, so its bytes never pass through here. They are connected in advance. Only the
 * text of this function reaches the helper, so it may use only its parameter.
 */
function serveSpawns({ start: startChild, Socket, process, setTimeout, killTrees }: HelperTools): void {
  const SPARE_SOCKETS = 6;
  const MOST_CONNECTING = 64;
  /** Milliseconds before a retry, when the system's queue of connections to a busy board is full. */
  const RETRY_AFTER = 5;
  const idle: { readonly number: number; readonly socket: Socket }[] = [];
  const waiting: (HelperOrder & { readonly type: 'spawn' })[] = [];
  const running = new Map<number, LeftTree>();
  let address = { path: '', token: '' };
  let connected = 0;
  let connecting = 0;

  const tell = (news: HelperNews): void => {
    // The board may be gone; then `disconnect` follows.
    process.send?.(news, undefined, undefined, () => {});
  };

  const end = (): void => {
    killTrees([...running.values()]);
    process.exit(0);
  };

  const connect = (): void => {
    const number = connected++;
    connecting++;
    const socket = new Socket();
    // Never read here: the board writes to the child.
    socket.pause();
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Any other error means that the board has stopped listening.
      if (error.code !== 'EAGAIN') return end();
      connecting--;
      setTimeout(serve, RETRY_AFTER);
    });
    socket.connect(address.path, () => {
      socket.write(address.token + String(number).padStart(10, '0'), () => {
        connecting--;
        idle.push({ number, socket });
        serve();
      });
    });
  };

  const serve = (): void => {
    for (let order = waiting[0]; order !== undefined; order = waiting[0]) {
      const needed = order.hasStdin ? 3 : 2;
      if (idle.length < needed) break;
      waiting.shift();
      start(order, idle.splice(0, needed));
    }
    const wanted = Math.max(SPARE_SOCKETS, waiting.length * 3);
    const missing = Math.min(wanted - idle.length, MOST_CONNECTING) - connecting;
    for (let more = 0; more < missing; more++) connect();
  };

  const start = (order: HelperOrder & { readonly type: 'spawn' }, used: typeof idle): void => {
    const { call, hasStdin, mark } = order;
    const sockets = used.map(({ number }) => number);
    const fail = (error: unknown): void => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
      tell({ type: 'error', call, code, message: error instanceof Error ? error.message : String(error), sockets });
    };
    const [stdout, stderr, stdin] = used.map(({ socket }) => socket);
    let child: ChildProcess | undefined;
    try {
      if (stdout === undefined || stderr === undefined) throw new Error('There is no socket.');
      child = startChild(order, [hasStdin ? stdin : 'ignore', stdout, stderr]);
    } catch (error) {
      fail(error);
    }
    // The child has its own copies; the stream ends when the last one closes.
    for (const { socket } of used) socket.destroy();
    const pid = child?.pid;
    child?.once('error', fail);
    if (pid === undefined) return;
    running.set(pid, { pid, id: mark.id, slack: mark.slack ?? 0, since: mark.since });
    tell({ type: 'started', call, pid, sockets });
    child?.once('exit', (code, signal) => {
      running.delete(pid);
      tell({ type: 'exit', call, code, signal });
    });
  };

  process.title = 'pegboard-spawn-helper';
  process.on('message', (order: HelperOrder) => {
    if (order.type === 'setup') address = order;
    else waiting.push(order);
    serve();
    if (order.type === 'setup') tell({ type: 'ready' });
  });
  process.on('disconnect', end);
}

/** The parts of Node that are used. */
interface SpawnTools {
  readonly spawn: typeof spawn;
  readonly fs: {
    readonly openSync: typeof openSync;
    readonly closeSync: typeof closeSync;
    readonly unlinkSync: typeof unlinkSync;
    readonly readFileSync: typeof readFileSync;
    readonly writeFileSync: typeof writeFileSync;
    readonly constants: Pick<typeof constants, 'O_RDONLY' | 'O_CREAT' | 'O_EXCL'>;
  };
  readonly platform: NodeJS.Platform;
}

type Stdio = readonly [stdin: IOType | Socket | undefined, stdout: IOType | Socket, stderr: IOType | Socket];

/**
 * Starts a child that leads a process group and carries the mark of its call: in its environment, in an open file and in its timer slack.
 * No program in between is necessary.
 *
 * A helper receives this function as text, so it may use only its parameters.
 */
export function spawnMarked(
  { spawn, fs, platform }: SpawnTools,
  { file, args, cwd, env, mark }: SpawnRequest,
  stdio: Stdio,
): ChildProcess {
  const options: SpawnOptions = { cwd, env, detached: true };
  // Without /proc the marks could not be read.
  if (platform !== 'linux') return spawn(file, args, { ...options, stdio: [...stdio] });
  const SLACK = '/proc/self/timerslack_ns';
  const openMark = (folder: string): number | undefined => {
    const path = `${folder}/pegboard-${mark.id}`;
    try {
      const descriptor = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_CREAT | fs.constants.O_EXCL, 0o400);
      fs.unlinkSync(path);
      return descriptor;
    } catch {
      return undefined;
    }
  };
  const setSlack = (value: number): number => {
    try {
      const before = Number(fs.readFileSync(SLACK, 'latin1'));
      // A real-time process has no slack.
      if (before > 0) fs.writeFileSync(SLACK, String(value));
      return before;
    } catch {
      return 0;
    }
  };
  const open = openMark('/dev/shm') ?? openMark('/tmp');
  const slackBefore = mark.slack === undefined ? 0 : setSlack(mark.slack);
  try {
    return spawn(file, args, { ...options, stdio: open === undefined ? [...stdio] : [...stdio, open] });
  } finally {
    if (slackBefore > 0) fs.writeFileSync(SLACK, String(slackBefore));
    if (open !== undefined) fs.closeSync(open);
  }
}
