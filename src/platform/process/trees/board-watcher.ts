import { type ChildProcess, spawn } from 'node:child_process';
import { type CallMark, MARKER_VARIABLE } from './call-mark.ts';
import { childEnvironment } from '../child-environment.ts';
import { killLeftTrees } from './kill-left-trees.ts';

/**
 * Waits for the end of its input, which comes with the end of the board however that ends. A line sets a call, or forgets it
 * when nothing follows its number. The first lines come as an argument: a board that dies while it starts a watcher is watched.
 * Only when calls are left is Node started, to find and kill what they started. Folders go last.
 */
const WATCH = `trap '' HUP INT QUIT TERM PIPE
note() {
  case $call in '') return ;; folder) folder=$value; return ;; esac
  case $value in '') unset "call_$call" ;; *) eval "call_$call=\\$value" ;; esac
}
while read -r call value; do note; done <<END
$3
END
while read -r call value; do note; done
case $(set) in *call_[0-9]*=*) set | "$1" -e "$2" ;; esac
case $folder in /*) rm -rf -- "$folder" ;; esac`;

/** Lines that fit into an argument; systems limit its length. */
const FIRST_LINES = 500;

/** A call whose processes a watcher knows of. */
interface Watched {
  readonly number: number;
  readonly mark: CallMark;
  pid: number;
  /** How many want it watched. */
  holds: number;
}

const calls = new Map<string, Watched>();
let lastNumber = 0;
let watcher: ChildProcess | undefined;
let folder: string | undefined;

/**
 * Has what a call starts killed when this process ends without doing so itself, also by kill -9; until the function given back is
 * called. The watcher is a small shell, one for this process, started with its first call.
 */
export function watchCall(mark: CallMark, pid = 0): () => void {
  // There is no process group to kill, and no /proc.
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

/** Has a folder deleted when this process ends without doing so itself. There is one for a process. */
export function watchFolder(path: string): void {
  // A line is an order to the watcher.
  if (path.includes('\n')) return;
  folder = path;
  if (process.platform === 'win32') return;
  if (watcher === undefined) startWatcher();
  else watcher.stdin?.write(folderLine(path));
}

function folderLine(path: string): string {
  return `folder ${path}\n`;
}

function callLine({ number, mark, pid }: Watched): string {
  return `${number} ${pid} ${mark.id} ${mark.slack ?? 0} ${mark.since}\n`;
}

/** Started before the first call, so that there is no moment without it. */
function startWatcher(): void {
  const known = [...(folder === undefined ? [] : [folderLine(folder)]), ...[...calls.values()].map(callLine)];
  const first = known.splice(0, FIRST_LINES).join('');
  const started: ChildProcess = spawn(
    'sh',
    ['-c', WATCH, 'pegboard-watcher', process.execPath, killerProgram(), first],
    {
      // A session of its own: what ends the board's group must not end it too.
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
    // One that was killed is replaced for the calls it watched; one that cannot run is tried again with the next call.
    if (signal !== null && watcher === undefined && (calls.size > 0 || folder !== undefined)) startWatcher();
  });
  // There is none when the system has no descriptor left; the call itself then says so.
  const { stdin } = started;
  if (stdin === null || stdin === undefined) return;
  stdin.on('error', lose);
  started.unref();
  // A pipe is a socket to Node, whose type does not say so.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  watcher = started;
  if (known.length > 0) stdin.write(known.join(''));
}

/** The program that kills what is left; the shell's variables are its input. */
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
