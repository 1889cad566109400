import { readFileSync, readlinkSync } from 'node:fs';
import { openPrompt, readEnds, repeatedQuestion } from './find-question.ts';
import type { OutputsSoFar } from './process-request.ts';
import { listTree, type ProcessTree } from './trees/kill-tree.ts';

/** Looks at a running tree, and gives what it asks once it surely waits for an answer that cannot come. */
type QuestionWatch = () => string | undefined;

/** Looks in a row at which a process has read nothing, after which it seems to ask. */
const IDLE_LOOKS = 3;

/** Reads without a byte between two looks by which a process asks in a circle. */
const IDLE_READS = 100;
/** The numbers of the system calls `read` and the two that wait for several files, by processor. */
const CALLS: Readonly<Record<string, { readonly read: string; readonly epoll: readonly string[] }>> = {
  x64: { read: '0', epoll: ['232', '281', '441'] },
  arm64: { read: '63', epoll: ['22', '441'] },
};

/**
 * Makes a watch over a tree; each call of it is a look. It never takes a command that is slow for one that asks: something of the tree must
 * wait in a read of a terminal of its own behind a question, or read nothing hundreds of times and ask the same each time; at two looks in a row.
 * One that reads nothing again and again without a question goes on: `onIdle` is told whether it does, for what is said when its time is over.
 */
export function watchQuestion(
  tree: ProcessTree,
  outputs: OutputsSoFar,
  onIdle: (isIdle: boolean) => void = () => {},
): QuestionWatch {
  let size = 0;
  let prompt: string | undefined;
  let waited = 0;
  let circles = 0;
  let idle = 0;
  let reads = new Map<number, Reads>();
  return () => {
    const before = reads;
    reads = new Map(listTree(tree).flatMap(readReads));
    const readNothing = (least: number): boolean =>
      [...reads].some(([pid, after]) => isCircle(before.get(pid), after, least));
    idle = readNothing(1) ? idle + 1 : 0;
    onIdle(idle >= IDLE_LOOKS);
    const now = outputs.size();
    const isQuiet = now === size;
    if (!isQuiet) {
      size = now;
      waited = 0;
      const printed = readEnds(outputs.peek());
      prompt = openPrompt(printed.stderr) ?? openPrompt(printed.stdout);
      const repeated = repeatedQuestion(printed);
      circles = repeated !== undefined && readNothing(IDLE_READS) ? circles + 1 : 0;
      return circles >= 2 ? repeated : undefined;
    }
    if (prompt === undefined) return undefined;
    waited = listTree(tree).some(waitsForTerminal) ? waited + 1 : 0;
    return waited >= 2 ? prompt.trim() : undefined;
  };
}

/** What a process has read so far. */
interface Reads {
  readonly calls: number;
  readonly bytes: number;
}

/** The reads of a process whose input is empty. */
function readReads(pid: number): [number, Reads][] {
  try {
    if (readlinkSync(`/proc/${pid}/fd/0`) !== '/dev/null') return [];
    const io = readFileSync(`/proc/${pid}/io`, 'latin1');
    const [, bytes] = /^rchar: (\d+)$/m.exec(io) ?? [];
    const [, calls] = /^syscr: (\d+)$/m.exec(io) ?? [];
    return [[pid, { calls: Number(calls), bytes: Number(bytes) }]];
  } catch {
    // It is gone, or not ours.
    return [];
  }
}

function isCircle(before: Reads | undefined, after: Reads, least: number): boolean {
  return before !== undefined && after.bytes === before.bytes && after.calls - before.calls >= least;
}

/** Whether a process sleeps until a person types. */
function waitsForTerminal(pid: number): boolean {
  const { read, epoll } = CALLS[process.arch] ?? { read: '', epoll: [] };
  try {
    const [call = '', file = ''] = readFileSync(`/proc/${pid}/syscall`, 'latin1').split(' ');
    const descriptor = Number(file);
    if (call === read) return isTerminal(pid, descriptor);
    if (!epoll.includes(call)) return false;
    const watched = readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'latin1').matchAll(/^tfd:\s+(\d+)/gm);
    return [...watched].some(([, number]) => isTerminal(pid, Number(number)));
  } catch {
    return false;
  }
}

function isTerminal(pid: number, descriptor: number): boolean {
  return /^\/dev\/(?:pts\/\d+|tty\w*)$/.test(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
}
