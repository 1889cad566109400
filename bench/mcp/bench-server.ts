import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A server to measure: its name in the tables, and its script. */
export interface Contestant {
  readonly name: string;
  readonly script: string;
  readonly mode: string;
}

/** A running server that is reached over HTTP. */
export interface HttpContestant {
  readonly url: URL;
  readonly pid: number;
  /** Bytes that the process holds. */
  memory(): number;
  stop(): void;
}

/** Starts a server over HTTP and waits until it says where it is. */
export async function startHttp({ script, mode }: Contestant, tools: number): Promise<HttpContestant> {
  const child = start(script, [mode, String(tools)]);
  const url = await new Promise<URL>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      const [found] = /http:\S+/.exec((text += String(chunk))) ?? [];
      if (found !== undefined) resolve(new URL(found));
    });
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${text}`)));
  });
  return { url, pid: child.pid ?? 0, memory: () => residentBytes(child.pid ?? 0), stop: () => void child.kill() };
}

/** Starts a script of this folder, or the command line of the build. */
export function start(script: string, args: readonly string[]): ChildProcess {
  const file = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** A client of a stdio server that sends lines and counts lines. */
export class StdioLine {
  readonly #child: ChildProcess;
  #waiting: { lines: number; done: (text: string) => void } | undefined;
  #text = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8');
    child.stdout?.on('data', (chunk: string) => this.#read(chunk));
  }

  /** Sends a text and waits for so many lines of answers. */
  exchange(text: string, lines = 1): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting = { lines, done: resolve };
      this.#child.stdin?.write(text);
    });
  }

  memory(): number {
    return residentBytes(this.#child.pid ?? 0);
  }

  async stop(): Promise<void> {
    this.#child.stdin?.end();
    this.#child.kill();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }

  #read(chunk: string): void {
    if (this.#waiting === undefined) return;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', at + 1)) this.#waiting.lines--;
    this.#text += chunk;
    if (this.#waiting.lines > 0) return;
    const { done } = this.#waiting;
    const text = this.#text;
    this.#waiting = undefined;
    this.#text = '';
    done(text);
  }
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}
