import { isatty } from 'node:tty';
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

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
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
  const log = (text: string): void => void process.stderr.write(`pegboard: ${text}\n`);
  let folder: string;
  const files = findBoardFiles(given.files, { cwd, env });
  if (files === undefined) return undefined;
  try {
    folder = openBoardsFolder(env);
  } catch (error) {
    log(`warning: this machine has no place for a shared board: ${messageOf(error)} Serving from this process.`);
    return undefined;
  }
  const { version = 'unknown' } = findOwnPackage();
  const { mode, compat, eager } = given;
  const startArgs = [...(given.stdio ? ['--stdio'] : []), '--', ...files];
  const front = new Front({
    wanted: { folder, identity: { files, version }, env, cwd },
    client: { pid: process.pid, parent: process.ppid, folder: cwd },
    serve: { mode, compat, eager },
    openInput: () => openPipedInput() ?? process.stdin,
    write: (bytes) => void process.stdout.write(bytes),
    log,
    start: () => startBoard({ program: process.argv[1] ?? '', args: startArgs, env, cwd }),
  });
  if (isatty(0)) log('waiting for an MCP client on stdin. For people: pegboard list, or pegboard serve --http.');
  const stop = (): void => front.stop();
  const leave = (): void => process.exit(0);
  for (const signal of SIGNALS) process.on(signal, stop);
  process.stdout.on('error', leave);
  const reached = await front.run();
  if (reached.type === 'standalone') {
    for (const signal of SIGNALS) process.off(signal, stop);
    process.stdout.off('error', leave);
    return undefined;
  }
  if (reached.type === 'reached') return 0;
  process.stderr.write(`${reached.message}\n`);
  return 1;
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
