import { type ChildProcess, spawn } from 'node:child_process';
import { type CallMark, MARKER_VARIABLE } from './call-mark.ts';
import { childEnvironment } from '../child-environment.ts';
import type { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Waits for the end of its input, which comes when the board ends in any way. A line registers a call, or removes it when nothing follows
 * its number. The first lines are passed as an argument, so that a board that dies while starting a watcher is covered. Node is started
 * only if calls are left, to find and kill their processes. Folders are deleted last.
 */
const WATCH = `trap '' HUP INT QUIT TERM PIPE
folders=
note() {
  case $call in '') return ;; folder*) folders="$folders $call"; eval "$call=\\$value"; return ;; esac
  case $value in '') unset "call_$call" ;; *) eval "call_$call=\\$value" ;; esac
}
while read -r call value; do note; done <<END
$3
END
while read -r call value; do note; done
case $(set) in *call_[0-9]*=*) set | "$1" -e "$2" ;; esac
for name in $folders; do
  eval "folder=\\$$name"
  case $folder in /*) rm -rf -- "$folder" ;; esac
done`;

/** Number of lines passed as an argument; systems limit its length. */
const FIRST_LINES = 500;

interface Watched {
  readonly number: number;
  readonly mark: CallMark;
  pid: number;
  /** Number of holders that want it watched. */
  holds: number;
}

const calls = new Map<string, Watched>();
let lastNumber = 0;
let watcher: ChildProcess | undefined;
const folders: string[] = [];

/**
 * Kills the processes of a call when this process ends without doing so, even by kill -9, until the returned function is called. The
 * watcher is one small shell per process, started with the first call.
 */
export function watchCall(mark: CallMark, pid = 0): () => void {
  // Windows has neither process groups nor /proc.
  if (process.platform === 'win32') return () => {};
  const call = calls.get(mark.id) ?? { number: ++lastNumber, mark, pid, holds: 0 };
  calls.set(mark.id, call);
  call.pid = Math.max(call.pid, pid);
  call.holds++;
  if (watcher === undefined) startWatcher();
  else watcher.stdin?.write(callLine(call));
  return () => {
    if (--call.holds > 0) return;
    calls.delete(mark.id);
    watcher?.stdin?.write(`${call.number}\n`);
  };
}

/** Deletes a folder when this process ends without doing so. */
export function watchFolder(path: string): void {
  // A newline would start another command to the watcher.
  if (path.includes('\n') || process.platform === 'win32') return;
  folders.push(path);
  if (watcher === undefined) startWatcher();
  else watcher.stdin?.write(folderLine(path, folders.length - 1));
}

function folderLine(path: string, index: number): string {
  return `folder${index} ${path}\n`;
}

function callLine({ number, mark, pid }: Watched): string {
  return `${number} ${pid} ${mark.id} ${mark.slack ?? 0} ${mark.since}\n`;
}

/** Starts the watcher before the first call, so that no moment is uncovered. */
function startWatcher(): void {
  const known = [...folders.map(folderLine), ...[...calls.values()].map(callLine)];
  const first = known.splice(0, FIRST_LINES).join('');
  const started: ChildProcess = spawn(
    'sh',
    ['-c', WATCH, 'pegboard-watcher', process.execPath, killerProgram(), first],
    {
      // Runs in its own session: signals to the board's group must not reach it.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: childEnvironment({ allowed: ['LD_LIBRARY_PATH', MARKER_VARIABLE], from: process.env }),
    },
  );
  const lose = (): void => {
    if (watcher === started) watcher = undefined;
  };
  started.once('error', lose);
  started.once('exit', (_code, signal) => {
    lose();
    // A killed watcher is replaced for the calls it watched; one that cannot run is tried again with the next call.
    if (signal !== null && watcher === undefined && (calls.size > 0 || folders.length > 0)) startWatcher();
  });
  // Missing when no file descriptor is left; the call itself then reports that.
  const { stdin } = started;
  if (stdin === null || stdin === undefined) return;
  stdin.on('error', lose);
  started.unref();
  // Node's pipe is a socket, but its type does not say so.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  watcher = started;
  if (known.length > 0) stdin.write(known.join(''));
}

/** Returns the program that kills remaining processes. Its input is the shell's variables. */
function killerProgram(): string {
  return [
    // Some bundlers wrap functions in this to keep their names.
    'const __name = (target) => target;',
    "const { readdirSync, readFileSync, readlinkSync } = require('node:fs');",
    `const killLeftTrees = ${killLeftTrees.toString()};`,
    "const lines = readFileSync(0, 'latin1').matchAll(/^call_\\d+='?(\\d+) ([0-9a-f]{32}) (\\d+) (\\d+)/gm);",
    'const trees = [...lines].map(([, pid, id, slack, since]) =>',
    '  ({ pid: Number(pid), id, slack: Number(slack), since: Number(since) }));',
    'killLeftTrees({ readdirSync, readFileSync, readlinkSync, process }, trees);',
  ].join('\n');
}

/** The main child of a call and the mark of its descendants. */
export interface LeftTree {
  /** 0 when the child was about to start. */
  readonly pid: number;
  readonly id: string;
  /** 0 when there is none. */
  readonly slack: number;
  readonly since: number;
}

/** The parts of Node that are used. */
interface KillTools {
  readonly readdirSync: typeof readdirSync;
  readonly readFileSync: typeof readFileSync;
  readonly readlinkSync: typeof readlinkSync;
  readonly process: Pick<NodeJS.Process, 'kill' | 'pid'>;
}

/**
 * Kills the processes that the calls of an ended board left behind: their process groups and all descendants outside them.
 *
 * Another process receives this function as text, so it may use only its parameters.
 */
export function killLeftTrees(
  { readdirSync, readFileSync, readlinkSync, process }: KillTools,
  trees: readonly LeftTree[],
): void {
  const ROUNDS = trees.length === 0 ? 0 : 20;
  const MAIN = new Set(trees.map(({ pid }) => pid).filter((pid) => pid > 0));
  const IDS = new Set(trees.map(({ id }) => id));
  const MARK_FILE = /\/pegboard-([0-9a-f]{32})/;
  const kill = (pid: number): void => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended, or belongs to another user.
    }
  };
  const read = (pid: number, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'latin1');
    } catch {
      return '';
    }
  };
  const hasMarkFile = (pid: number): boolean => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some((name) => {
        const [, id] = MARK_FILE.exec(readlinkSync(`/proc/${pid}/fd/${name}`)) ?? [];
        return id !== undefined && IDS.has(id);
      });
    } catch {
      return false;
    }
  };
  const isMarked = (pid: number, start: number): boolean => {
    const environment = read(pid, 'environ');
    for (const id of IDS) if (environment.includes(id)) return true;
    if (hasMarkFile(pid)) return true;
    const slack = Number(read(pid, 'timerslack_ns'));
    // An id of another board's call counts only if its first digits match the slack: a process could forge one.
    const [, others = ''] = /PEGBOARD_CALL=([^\0]*)/.exec(environment) ?? [];
    if (others.split('/').some((id) => Number.parseInt(id.slice(0, 5), 16) === slack)) return false;
    return trees.some((tree) => tree.slack > 0 && tree.slack === slack && start >= tree.since);
  };
  const findMembers = (): Set<number> => {
    const members = new Set<number>();
    const children = new Map<number, number[]>();
    let names: string[] = [];
    try {
      names = readdirSync('/proc');
    } catch {
      // Without /proc, only the groups are known.
    }
    for (const pid of names.map(Number)) {
      if (!(pid > 0) || pid === process.pid) continue;
      const stat = read(pid, 'stat');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, parent, group] = fields;
      if (state === undefined || state === '' || state === 'Z' || state === 'X') continue;
      children.set(Number(parent), [...(children.get(Number(parent)) ?? []), pid]);
      if (MAIN.has(pid) || MAIN.has(Number(group)) || isMarked(pid, Number(fields[19]))) members.add(pid);
    }
    // Iterating a set includes members added meanwhile.
    for (const pid of members) for (const child of children.get(pid) ?? []) members.add(child);
    members.delete(process.pid);
    return members;
  };
  // The next round finds processes that fork during a scan.
  for (let round = 0; round < ROUNDS; round++) {
    const members = findMembers();
    for (const pid of MAIN) kill(-pid);
    for (const pid of members) kill(pid);
    if (members.size === 0) return;
    if (round > 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
  }
}
