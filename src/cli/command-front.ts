import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { openBoardsFolder } from '../mcp/front/boards-folder.ts';
import type { CallerStreams, CommandLine } from '../mcp/front/command-messages.ts';
import type { BoardLink } from '../mcp/front/connect-board.ts';
import { findBoard } from '../mcp/front/reach-board.ts';
import { findOwnPackage } from '../platform/own-package.ts';
import { findBoardFiles, isStandalone } from './shared/board/find-board-files.ts';
import { type FrontLoaders, RemoteCommand } from './front/remote-command.ts';
import { readSharedLine } from './front/read-shared-line.ts';

type Environment = Readonly<Record<string, string | undefined>>;
/** The variables that commands read themselves. All others are those of the board, which has the same values where they matter. */
const PASSED = [
  'BROWSER',
  'CI',
  'COLORTERM',
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'FORCE_COLOR',
  'NO_COLOR',
  'SUDO_UID',
  'TERM',
  'WAYLAND_DISPLAY',
  'XDG_RUNTIME_DIR',
];
/** Bytes of a command line that a board takes. */
const MAX_LINE = 200_000;

/**
 * Has the running board of these files execute a command line, and passes its streams on. Returns the exit code; `undefined` if this process
 * must execute it: there is no such board, or the command line wants something that only this process can do.
 */
export async function commandFront(args: readonly string[], loaders: FrontLoaders): Promise<number | undefined> {
  const { env } = process;
  const given = readSharedLine(args);
  if (given === undefined || isStandalone(env)) return undefined;
  const cwd = process.cwd();
  const files = findBoardFiles(given, { cwd, env });
  if (files === undefined) return undefined;
  const link = await reach(files, { args, cwd, env });
  if (link === undefined) return undefined;
  if (link.reply.type !== 'running') {
    link.socket.destroy();
    return undefined;
  }
  return new RemoteCommand(link, loaders).run(args);
}

async function reach(
  files: readonly string[],
  { args, cwd, env }: { readonly args: readonly string[]; readonly cwd: string; readonly env: Environment },
): Promise<BoardLink | undefined> {
  const line: CommandLine = {
    args,
    folder: cwd,
    pid: process.pid,
    streams: describeStreams(),
    env: Object.fromEntries(PASSED.map((name) => [name, env[name] ?? null])),
  };
  if (JSON.stringify(line).length > MAX_LINE) return undefined;
  try {
    const { version = 'unknown' } = findOwnPackage();
    const identity = { files, version, home: env['HOME'] ?? '' };
    const wanted = { folder: openBoardsFolder(env), identity, env, cwd };
    return await findBoard(wanted, { type: 'run', line });
  } catch {
    // This machine has no place for shared boards.
    return undefined;
  }
}

function describeStreams(): CallerStreams {
  const [stdin, stdout, stderr] = [isatty(0), isatty(1), isatty(2)];
  const columns = stdout ? process.stdout.columns : stderr ? process.stderr.columns : undefined;
  return { stdin, stdout, stderr, isPiped: isPipeOrFile(0), columns };
}

function isPipeOrFile(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.isFIFO() || stats.isFile();
  } catch {
    return false;
  }
}
