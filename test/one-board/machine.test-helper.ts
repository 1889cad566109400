// A machine of its own for boards that are shared: a folder for boards, a home, board files, and the processes that belong to it.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { connectBoard } from '../../src/mcp/front/connect-board.ts';
import { type FoundBoard, listNotices } from '../../src/mcp/front/board-notice.ts';
import { CLI } from '../cli-program.test-helper.ts';
import { FrontClient } from './front-client.test-helper.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Options of a front. */
interface FrontOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Environment;
  /** The command line that it runs. Default: that of this test run. */
  readonly cli?: string;
  readonly uid?: number;
  /** Default: answers nothing. */
  readonly capabilities?: object;
}

/** A machine of its own. */
export interface Machine {
  /** The folder of the board file. */
  readonly folder: string;
  /** The folder of all boards. */
  readonly runtime: string;
  readonly env: Environment;
  /** Writes the board file. */
  write(board: object, name?: string): void;
  /** Starts a front, without a handshake. */
  start(options?: FrontOptions): FrontClient;
  /** Starts a front and makes the handshake. */
  open(options?: FrontOptions): Promise<FrontClient>;
  /** The boards that published where they are. */
  boards(): FoundBoard[];
  /** The only board. */
  board(): FoundBoard;
  /** The numbers of all processes of the machine. */
  processes(): number[];
  /** Asks all boards to end and waits until no process is left. */
  end(): Promise<void>;
}

/** A tool that says something. */
export const SAY = {
  name: 'say',
  type: 'cli',
  description: 'Say something',
  command: 'echo',
  risk: 'read',
  args: [{ name: 'text', positional: true, required: true }],
};

/** Makes a machine; all that it runs is ended with the test. */
export function createMachine(board: object = { tools: [SAY] }): Machine {
  // Sockets have short paths.
  const runtime = realpathSync(mkdtempSync('/tmp/pb-'));
  const folder = join(runtime, 'work');
  const home = join(runtime, 'home');
  for (const made of [folder, home]) mkdirSync(made);
  const boardsFolder = join(runtime, 'run');
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_STATE_HOME: undefined,
    CI: '',
    PEGBOARD_STANDALONE: '0',
    PEGBOARD_RUNTIME: boardsFolder,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  };
  const start = ({ args = [], cwd = folder, env: more = {}, cli = CLI, uid, capabilities }: FrontOptions = {}) => {
    const child = spawn(process.execPath, [cli, 'serve', ...args], {
      cwd,
      env: { ...env, ...more },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    return new FrontClient(child, capabilities);
  };
  const machine: Machine = {
    folder,
    runtime: boardsFolder,
    env,
    write: (written, name = 'pegboard.yaml') => writeFileSync(join(folder, name), JSON.stringify(written)),
    start,
    async open(options) {
      const front = start(options);
      await front.initialize();
      return front;
    },
    boards: () => (existsSync(boardsFolder) ? listNotices(boardsFolder) : []),
    board() {
      const boards = machine.boards();
      expect(boards).toHaveLength(1);
      // Of the length that was just checked.
      return boards[0] as FoundBoard;
    },
    processes: () => findProcesses(runtime),
    async end() {
      for (const running of machine.boards()) {
        const link = await connectBoard(running, { type: 'stop' });
        link?.socket.destroy();
      }
      await expect.poll(() => findProcesses(runtime)).toEqual([]);
    },
  };
  machine.write(board);
  onTestFinished(async () => {
    // By number: each of these processes names a folder that this machine made.
    for (const pid of findProcesses(runtime)) kill(pid);
    await expect.poll(() => findProcesses(runtime)).toEqual([]);
    rmSync(runtime, { recursive: true, force: true });
  });
  return machine;
}

/** Copies the command line into a package with another version. Returns its file. */
export function copyVersion(folder: string, version: string): string {
  const to = join(folder, `pegboard-${version}`);
  cpSync(dirname(CLI), join(to, 'dist'), { recursive: true });
  const root = join(import.meta.dirname, '../..');
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'));
  writeFileSync(
    join(to, 'package.json'),
    JSON.stringify({ ...JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')), version }),
  );
  return join(to, 'dist', basename(CLI));
}

/** Ends a process at once. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Finds the processes that have a text in their variables, or among their words. */
export function findProcesses(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(
      (pid) => pid > 0 && pid !== process.pid && ['environ', 'cmdline'].some((file) => read(pid, file).includes(text)),
    );
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
