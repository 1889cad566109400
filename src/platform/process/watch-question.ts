import { readFileSync, readlinkSync } from 'node:fs';
import { drawsScreen, openPrompt, readEnds, repeatedQuestion } from './find-question.ts';
import type { OutputsSoFar, Question } from './process-request.ts';
import { glanceAtTree, type ProcessTree } from './trees/kill-tree.ts';

/** Looks at a running tree, and gives what it asks once it surely waits for an answer that cannot come. */
type QuestionWatch = () => Question | undefined;

/** Looks in a row at which a process has read nothing, after which it seems to ask. */
const IDLE_LOOKS = 3;

/** Reads without a byte between two looks by which a process asks in a circle. */
const IDLE_READS = 100;
/** The numbers of the system calls `read`, those of epoll, and the others that wait for several files, by processor. */
const CALLS: Readonly<
  Record<string, { readonly read: string; readonly epoll: readonly string[]; readonly poll: readonly string[] }>
> = {
  x64: { read: '0', epoll: ['232', '281', '441'], poll: ['7', '23', '270', '271'] },
  arm64: { read: '63', epoll: ['22', '441'], poll: ['72', '73'] },
};

/**
 * Makes a watch over a tree; each call of it is a look. It never takes a command that is slow for one that asks: something of the tree must
 * wait in a read of a terminal of its own behind a question, or read nothing hundreds of times and ask the same each time; at two looks in a row.
 * The same for one that draws on a screen of its own, as an editor does, and waits for a key.
 * One that reads nothing again and again without a question goes on: `onIdle` is told whether it does, for what is said when its time is over.
 */
export function watchQuestion(
  tree: ProcessTree,
  outputs: OutputsSoFar,
  onIdle: (isIdle: boolean) => void = () => {},
): QuestionWatch {
  let size = 0;
  let prompt: Question | undefined;
  let waited = 0;
  let circles = 0;
  let idle = 0;
  let reads = new Map<number, Reads>();
  return () => {
    const before = reads;
    reads = new Map(glanceAtTree(tree).flatMap(readReads));
    const readNothing = (least: number): boolean =>
      [...reads].some(([pid, after]) => isCircle(before.get(pid), after, least));
    idle = readNothing(1) ? idle + 1 : 0;
    onIdle(idle >= IDLE_LOOKS);
    const now = outputs.size();
    const isQuiet = now === size;
    if (!isQuiet) {
      size = now;
      waited = 0;
      const whole = outputs.peek();
      const printed = readEnds(whole);
      const asked = openPrompt(printed.stderr) ?? openPrompt(printed.stdout);
      if (drawsScreen(whole, printed)) prompt = { text: '', isAsked: false, wants: 'screen' };
      else prompt = asked === undefined ? undefined : { text: asked.trim(), isAsked: true };
      const repeated = repeatedQuestion(printed);
      circles = repeated !== undefined && readNothing(IDLE_READS) ? circles + 1 : 0;
      return circles >= 2 && repeated !== undefined ? { text: repeated, isAsked: true } : undefined;
    }
    if (prompt === undefined) return undefined;
    const { wants } = prompt;
    waited = glanceAtTree(tree).some((pid) => waitsForTerminal(pid, wants === 'screen')) ? waited + 1 : 0;
    return waited >= 2 ? prompt : undefined;
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

/** Whether a process sleeps until a person types; one that draws a screen may wait for several files, of which its input is one. */
function waitsForTerminal(pid: number, isScreen: boolean): boolean {
  const { read, epoll, poll } = CALLS[process.arch] ?? { read: '', epoll: [], poll: [] };
  try {
    const [call = '', file = ''] = readFileSync(`/proc/${pid}/syscall`, 'latin1').split(' ');
    const descriptor = Number(file);
    if (call === read) return isTerminal(pid, descriptor);
    if (isScreen && poll.includes(call)) return isTerminal(pid, 0) || readsMessages(pid);
    if (!epoll.includes(call)) return false;
    const watched = readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'latin1').matchAll(/^tfd:\s+(\d+)/gm);
    return [...watched].some(([, number]) => isTerminal(pid, Number(number)));
  } catch {
    return false;
  }
}

/** Whether the input of a process is where it writes its messages: vi turns to that when its input is empty. */
function readsMessages(pid: number): boolean {
  const input = readlinkSync(`/proc/${pid}/fd/0`);
  return /^(?:socket|pipe):/.test(input) && input === readlinkSync(`/proc/${pid}/fd/2`);
}

function isTerminal(pid: number, descriptor: number): boolean {
  return /^\/dev\/(?:pts\/\d+|tty\w*)$/.test(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
}
