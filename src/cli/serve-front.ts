import { fstatSync } from 'node:fs';
import { openBoardsFolder } from '../mcp/front/boards-folder.ts';
import type { ServeWish } from '../mcp/front/control-line.ts';
import { Front } from '../mcp/front/front.ts';
import { startBoard } from '../mcp/front/start-board.ts';
import { findOwnPackage } from '../platform/own-package.ts';
import { messageOf } from '../tool/texts/message-of.ts';
import { findBoardFiles, isStandalone } from './shared/board/find-board-files.ts';
import { openPipedInput } from './open-piped-input.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The words of a command line that a front understands. */
interface FrontArguments extends ServeWish {
  readonly files: readonly string[];
  readonly stdio: boolean;
}

/** The signals that end a front, with their numbers. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
/** The values of `--mode` and `--compat`; the command line reports others. */
const MODES = ['classic', 'discovery', 'code', 'auto'] as const;
const COMPATS = ['climax'] as const;

/**
 * Serves a client over the standard streams by the board of this machine. Returns the exit code; `undefined` if this command line, machine or
 * config wants a board in this process.
 */
export async function serveFront(args: readonly string[], env: Environment): Promise<number | undefined> {
  if (isStandalone(env)) return undefined;
  const given = readArguments(args);
  if (given === undefined) return undefined;
  const cwd = process.cwd();
  const warnAlone = (reason: string): void =>
    log(`warning: there is no place for a board of this machine: ${reason} This process serves alone.`);
  let folder: string;
  const files = findBoardFiles(given.files, { cwd, env });
  if (files === undefined) return undefined;
  try {
    folder = openBoardsFolder(env);
  } catch (error) {
    warnAlone(messageOf(error));
    return undefined;
  }
  const { version = 'unknown' } = findOwnPackage();
  const { mode, compat, eager } = given;
  const startArgs = [...(given.stdio ? ['--stdio'] : []), '--', ...files];
  const front = new Front({
    wanted: { folder, identity: { files, version, home: env['HOME'] ?? '' }, env, cwd },
    client: { pid: process.pid, parent: process.ppid, folder: cwd },
    serve: { mode, compat, eager },
    openInput: () => openPipedInput() ?? process.stdin,
    // Opened while the board answers.
    get output() {
      return openOutput();
    },
    log,
    start: () => {
      const started = startBoard({ program: process.argv[1] ?? '', args: startArgs, env, cwd });
      // Opened while the board starts.
      openOutput();
      return started;
    },
  });
  if (isTerminal()) log('waiting for an MCP client on stdin. For people: pegboard list, or pegboard serve --http.');
  let stoppedBy: keyof typeof SIGNALS | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    // The handlers are for these signals alone.
    const asked = signal as keyof typeof SIGNALS;
    // A second signal exits immediately.
    if (stoppedBy !== undefined) process.exit(128 + SIGNALS[asked]);
    stoppedBy = asked;
    front.stop();
  };
  const names = Object.keys(SIGNALS);
  for (const signal of names) process.on(signal, stop);
  const reached = await front.run();
  if (reached.type === 'standalone') {
    if (reached.reason !== undefined) warnAlone(reached.reason);
    for (const signal of names) process.off(signal, stop);
    return undefined;
  }
  if (reached.type === 'failed') {
    process.stderr.write(`${reached.message}\n`);
    return 1;
  }
  return stoppedBy === 'SIGINT' ? 128 + SIGNALS.SIGINT : 0;
}

let output: NodeJS.WriteStream | undefined;

/** Returns the standard output, with whose reader this process ends. */
function openOutput(): NodeJS.WriteStream {
  output ??= process.stdout.on('error', () => process.exit(0));
  return output;
}

let errors: NodeJS.WriteStream | undefined;

/** Prints a line for the person who started this process. Nobody has to read it. */
function log(text: string): void {
  errors ??= process.stderr.on('error', () => {});
  errors.write(`pegboard: ${text}\n`);
}

/** Returns true for a person at a terminal. `node:tty` says so too, and takes 2 ms to load. */
function isTerminal(): boolean {
  try {
    return fstatSync(0).isCharacterDevice() && process.stdin.isTTY;
  } catch {
    return false;
  }
}

/** Reads the arguments after `serve`; `undefined` if the command line must read them. */
function readArguments(args: readonly string[]): FrontArguments | undefined {
  const files: string[] = [];
  const named: string[] = [];
  const flags = new Set<string>();
  let [mode, compat]: [ServeWish['mode'], ServeWish['compat']] = [undefined, undefined];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? '';
    const [, name, joined] = /^--([a-z]+)(?:=(.*))?$/s.exec(word) ?? [];
    const value = (): string | undefined => joined ?? args[++index];
    if (name === undefined && !word.startsWith('-')) files.push(word);
    else if (name === 'file') named.push(value() ?? '');
    else if (name === 'mode') {
      const given = value();
      mode = MODES.find((one) => one === given);
      if (mode === undefined) return undefined;
    } else if (name === 'compat') {
      const given = value();
      compat = COMPATS.find((one) => one === given);
      if (compat === undefined) return undefined;
    } else if (joined === undefined && ['watch', 'eager', 'stdio'].includes(name ?? '')) flags.add(name ?? '');
    else return undefined;
  }
  return { files: [...files, ...named], mode, compat, eager: flags.has('eager'), stdio: flags.has('stdio') };
}
