// A machine of its own: a folder for its boards, and another for what they keep.
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { CLI } from '../cli-program.test-helper.ts';

/** The output of a command line. */
interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

interface RunOptions {
  readonly cwd: string;
  /** Default: nothing, and no pipe. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A machine whose boards end with the test. */
export interface Machine {
  /** The variables of its processes. */
  readonly env: Readonly<Record<string, string>>;
  /** A new folder with a board file. */
  folder(config: Readonly<Record<string, unknown>>): string;
  /** Attaches a client to the board of a folder, and starts that board. */
  attach(cwd: string, env?: Readonly<Record<string, string>>): Promise<ChildProcess>;
  /** Starts a command line. */
  start(args: readonly string[], cwd: string, options?: SpawnOptions): ChildProcess;
  run(args: readonly string[], options: RunOptions): Promise<Printed>;
  /** The numbers of the processes of its boards. */
  boards(): number[];
}

export function createMachine(): Machine {
  const root = mkdtempSync(join(tmpdir(), 'pegboard-machine-'));
  const runtime = mkdtempSync(join(tmpdir(), 'pb-'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    XDG_STATE_HOME: join(root, 'state'),
    PEGBOARD_RUNTIME: runtime,
    PEGBOARD_STANDALONE: '0',
    ...(process.env['NODE_COMPILE_CACHE'] === undefined
      ? {}
      : { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }),
  };
  const children = new Set<ChildProcess>();
  const boards = (): number[] =>
    readdirSync(runtime, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('board.json'))
      .map((name): number => JSON.parse(readFileSync(join(runtime, name), 'utf8')).pid);
  const start: Machine['start'] = (args, cwd, options = {}) => {
    const child = spawn(process.execPath, [CLI, ...args], { cwd, env, ...options });
    children.add(child);
    return child;
  };
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
    for (const pid of boards()) kill(pid);
    for (const made of [root, runtime]) rmSync(made, { recursive: true, force: true, maxRetries: 10 });
  });
  return {
    env,
    boards,
    start,
    folder(config) {
      const folder = mkdtempSync(join(root, 'board-'));
      writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(config));
      return folder;
    },
    async attach(cwd, own = {}) {
      const child = start(['serve'], cwd, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...env, ...own } });
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'desk', version: '7' } };
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
      if (child.stdout !== null) await once(createInterface({ input: child.stdout }), 'line');
      child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
      return child;
    },
    async run(args, { cwd, input, env: own = {} }) {
      // A pipe of the shell: those of Node are sockets, which commands do not take for input.
      const line = ['sh', '-c', input === undefined ? 'exec "$@" < /dev/null' : 'printf %s "$INPUT" | "$@"', 'sh'];
      const [program = '', ...words] = [...line, process.execPath, CLI, ...args];
      const child = spawn(program, words, { cwd, env: { ...env, ...own, INPUT: input ?? '' } });
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { stdout, stderr, code };
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
