import { realpathSync } from 'node:fs';
import { isatty } from 'node:tty';
import { basename, dirname, join, resolve } from 'node:path';
import { openBoardsFolder } from '../mcp/front/boards-folder.ts';
import type { ServeWish } from '../mcp/front/control-line.ts';
import { Front } from '../mcp/front/front.ts';
import { startBoard } from '../mcp/front/start-board.ts';
import { findOwnPackage } from '../platform/own-package.ts';
import { messageOf } from '../tool/texts/message-of.ts';
import { openPipedInput } from './open-piped-input.ts';
import { tryFindConfig } from './shared/board/find-config.ts';

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
  const files = findFiles(given.files, { cwd, env });
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

/** Returns true where a process serves alone: by choice, in CI, as the main process of a container, or inside a call of another board. */
function isStandalone(env: Environment): boolean {
  const chosen = env['PEGBOARD_STANDALONE'] ?? '';
  if (chosen !== '') return chosen !== '0';
  if ((env['CI'] ?? '') !== '' || env['PEGBOARD_CALL'] !== undefined) return true;
  return (
    process.pid === 1 || (process.ppid === 1 && (env['KUBERNETES_SERVICE_HOST'] ?? env['container']) !== undefined)
  );
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

/** Returns the absolute paths of the files, without links in their folders; `undefined` if there are none, or they cannot be read. */
function findFiles(
  given: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): readonly string[] | undefined {
  try {
    return tryFindConfig(given, { cwd, env })?.map((file) => {
      const path = resolve(cwd, file);
      return join(realpathSync(dirname(path)), basename(path));
    });
  } catch {
    return undefined;
  }
}
