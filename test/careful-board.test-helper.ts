// A board in another process whose changes wait for a person, and the person who answers here.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openBoardChanges } from '../src/board/changes/board-changes.ts';
import type { BoardChanges, WaitingChange } from '../src/guard/approval/waiting-change.ts';

/** A report of the process of a board. */
export interface Told {
  readonly event: 'open' | 'reloaded' | 'waiting' | 'failed' | 'refused';
  readonly change?: WaitingChange;
  readonly message?: string;
}

/** The state of a board in another process. */
interface State {
  readonly tools: readonly string[];
  readonly changes: readonly WaitingChange[];
  readonly servers: readonly string[];
  readonly warnings: readonly string[];
}

/** A board in a process of its own. */
export interface OtherBoard {
  /** Waits for the next report. */
  next(): Promise<Told>;
  call(name: string): Promise<string>;
  reload(): Promise<boolean>;
  state(): Promise<State>;
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** The folder of a board, with a state folder of its own. */
export interface CarefulFolder {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  write(name: string, content: unknown): void;
  read(name: string): string;
  has(name: string): boolean;
  /** The changes of the board, as every process of the user sees them. */
  readonly changes: BoardChanges;
  /** Starts the board in another process, and gives what it reports first. */
  start(): Promise<{ readonly board: OtherBoard; readonly first: Told }>;
  /** Starts the board, which has to open. */
  open(): Promise<OtherBoard>;
}

/** Makes a folder with a board file. */
export function carefulFolder(config: unknown): CarefulFolder {
  const root = mkdtempSync(join(tmpdir(), 'pegboard-careful-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = mkdtempSync(join(root, 'board-'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, XDG_STATE_HOME: join(root, 'state') };
  const write = (name: string, content: unknown): void => {
    // At once: the board must not read half of it.
    const draft = join(root, 'draft');
    writeFileSync(draft, typeof content === 'string' ? content : JSON.stringify(content, undefined, 1));
    renameSync(draft, join(folder, name));
  };
  write('pegboard.yaml', config);
  const start: CarefulFolder['start'] = async () => {
    const board = startBoard(join(folder, 'pegboard.yaml'), folder, env);
    return { board, first: await board.next() };
  };
  return {
    folder,
    env,
    write,
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    has: (name) => existsSync(join(folder, name)),
    changes: openBoardChanges({ given: [join(folder, 'pegboard.yaml')], cwd: folder, env }),
    start,
    async open() {
      const { board, first } = await start();
      if (first.event !== 'open') throw new Error(first.message ?? first.event);
      return board;
    },
  };
}

function startBoard(file: string, folder: string, env: Readonly<Record<string, string>>): OtherBoard {
  const script = join(import.meta.dirname, 'fixtures/careful-board.ts');
  const child = fork(script, [file, folder], { env, cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  const told: Told[] = [];
  const waiting: ((report: Told) => void)[] = [];
  const answers = new Map<number, (value: unknown) => void>();
  child.on('message', (message: Told | { readonly id: number; readonly value: unknown }) => {
    if ('id' in message) return answers.get(message.id)?.(message.value);
    const listener = waiting.shift();
    if (listener === undefined) told.push(message);
    else listener(message);
  });
  let last = 0;
  const ask = <T>(wanted: object): Promise<T> =>
    new Promise((resolve) => {
      const id = ++last;
      // The process answers each type of request with its own type.
      answers.set(id, (value) => resolve(value as T));
      child.send({ id, ...wanted });
    });
  return {
    next: () => {
      const known = told.shift();
      return known === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(known);
    },
    call: (name) => ask({ type: 'call', name }),
    reload: () => ask({ type: 'reload' }),
    state: () => ask({ type: 'state' }),
    end: (signal) => endProcess(child, signal),
  };
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals | undefined): Promise<void> {
  const closed = once(child, 'exit');
  if (signal === undefined) child.disconnect();
  else child.kill(signal);
  await closed;
}
