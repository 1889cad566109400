import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

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
  await untilListening(url);
  return { url, pid: child.pid ?? 0, memory: () => residentBytes(child.pid ?? 0), stop: () => void child.kill() };
}

const running = new Set<ChildProcess>();

/** Starts a script. */
export function start(script: string, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  // None is left behind when a measurement fails. One listener for all of them: Node warns from the eleventh on.
  if (running.size === 0) process.once('exit', endAll);
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', endAll);
  });
  return child;
}

function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
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

/** Milliseconds from the start of a process to its first line of answer to a message. */
export function timeToFirstAnswer(args: readonly string[], message: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, [...args], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.once('error', reject);
    child.stdout.on('data', (chunk: Buffer) => {
      if (!chunk.includes('\n')) return;
      const took = performance.now() - started;
      child.removeAllListeners();
      child.once('exit', () => resolve(took));
      child.kill('SIGKILL');
    });
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code} before it answered.`)));
    child.stdin.write(message);
  });
}

/** Some say where they are before they are there. */
async function untilListening({ hostname, port }: URL): Promise<void> {
  for (;;) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
