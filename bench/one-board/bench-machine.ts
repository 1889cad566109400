import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const CLI = join(import.meta.dirname, '../../dist/cli.js');
/** Milliseconds between two looks at processes that come or go. */
const GLANCE = 20;

/** A process that was started, and the time until it wrote its first bytes. */
export interface Started {
  readonly child: ChildProcess;
  readonly milliseconds: number;
}

/** A machine of its own for shared boards: its folder is among the words or variables of each of its processes. */
export class BenchMachine {
  readonly folder: string = mkdtempSync('/tmp/pbb-');
  readonly env: NodeJS.ProcessEnv;
  readonly #boards: string;

  constructor() {
    this.#boards = join(this.folder, 'run');
    const home = join(this.folder, 'home');
    mkdirSync(home);
    const own = { HOME: home, PEGBOARD_RUNTIME: this.#boards, PEGBOARD_STANDALONE: '0', CI: '' };
    this.env = { ...process.env, ...own, XDG_STATE_HOME: undefined, PEGBOARD_DATA: undefined };
  }

  /** Writes a board file into a folder of its own, and returns that. */
  write(name: string, board: object): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify(board));
    return folder;
  }

  /** The words of a command of Pegboard. */
  command(...args: readonly string[]): readonly string[] {
    return [CLI, ...args];
  }

  /** Starts a server and asks it for its handshake. */
  async start(args: readonly string[], cwd: string = this.folder): Promise<Started> {
    const start = performance.now();
    const child = spawn(process.execPath, args, { cwd, env: this.env, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.write(message(1, 'initialize', HELLO));
    await once(child.stdout, 'data');
    return { child, milliseconds: performance.now() - start };
  }

  /** Runs a command to its end, and returns the milliseconds it took. */
  run(args: readonly string[], cwd: string): number {
    const start = performance.now();
    execFileSync(process.execPath, args, { cwd, env: this.env, stdio: 'ignore' });
    return performance.now() - start;
  }

  /** The numbers of the processes of this machine. */
  processes(): number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid && isOf(pid, this.folder));
  }

  /** Asks all boards to end, and waits until no process is left. */
  async stopBoards(): Promise<void> {
    const names = existsSync(this.#boards) ? readdirSync(this.#boards) : [];
    for (const name of names) {
      const file = join(this.#boards, name, 'board.json');
      if (!existsSync(file)) continue;
      const { socket, token } = JSON.parse(readFileSync(file, 'utf8'));
      const connection = createConnection(socket).on('error', () => {});
      connection.write(`${JSON.stringify({ type: 'stop', token })}\n`);
      await once(connection.resume(), 'close');
    }
    while (this.processes().length > 0) await pause(GLANCE);
  }

  async close(): Promise<void> {
    await this.stopBoards();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ends a server by closing its input, as clients do. */
export async function endServer({ child }: Pick<Started, 'child'>): Promise<void> {
  child.stdin?.end();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The bytes of memory of a process. */
export function memoryOf(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(read(pid, 'status')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Returns true when a process has a text in its words or variables. */
export function isOf(pid: number, text: string): boolean {
  return read(pid, 'environ').includes(text) || read(pid, 'cmdline').includes(text);
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

/** A request as a line. */
export function message(id: number, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}
