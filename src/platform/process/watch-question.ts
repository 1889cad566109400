import { readFileSync, readlinkSync } from 'node:fs';
import { drawsScreen, openPrompt, readEnds, repeatedQuestion } from './find-question.ts';
import type { OutputsSoFar, Question } from './process-request.ts';
import { glanceAtTree, type ProcessTree } from './trees/kill-tree.ts';

/** Checks a running tree and returns its question once it certainly waits for an answer that cannot come. */
type QuestionWatch = () => Question | undefined;

/** Consecutive checks with empty reads after which a process seems to ask. */
const IDLE_LOOKS = 3;

/** Empty reads between two checks that show a process asking in a loop. */
const IDLE_READS = 100;
/** Numbers of the system calls for `read`, epoll, and other waits on several files, by processor. */
const CALLS: Readonly<
  Record<string, { readonly read: string; readonly epoll: readonly string[]; readonly poll: readonly string[] }>
> = {
  x64: { read: '0', epoll: ['232', '281', '441'], poll: ['7', '23', '270', '271'] },
  arm64: { read: '63', epoll: ['22', '441'], poll: ['72', '73'] },
};

/**
 * Creates a watch over a tree; each call of it is one check. It never mistakes a slow command for a question. At two checks in a row, a
 * process of the tree must wait in a read of its own terminal after a question, or read nothing hundreds of times and repeat the same
 * question. The same applies to one that draws a full screen, as editors do, and waits for a key. A command that keeps reading nothing
 * without a question continues: `onIdle` receives this state for the message at its timeout.
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

interface Reads {
  readonly calls: number;
  readonly bytes: number;
}

/** Returns the read counters of a process with empty input. */
function readReads(pid: number): [number, Reads][] {
  try {
    if (readlinkSync(`/proc/${pid}/fd/0`) !== '/dev/null') return [];
    const io = readFileSync(`/proc/${pid}/io`, 'latin1');
    const [, bytes] = /^rchar: (\d+)$/m.exec(io) ?? [];
    const [, calls] = /^syscr: (\d+)$/m.exec(io) ?? [];
    return [[pid, { calls: Number(calls), bytes: Number(bytes) }]];
  } catch {
    // It has ended, or belongs to another user.
    return [];
  }
}

function isCircle(before: Reads | undefined, after: Reads, least: number): boolean {
  return before !== undefined && after.bytes === before.bytes && after.calls - before.calls >= least;
}

/** Returns true when a process sleeps until a person types. A full-screen process may wait for several files that include its input. */
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

/** Returns true when a process reads from its stderr: vi does so when its input is empty. */
function readsMessages(pid: number): boolean {
  const input = readlinkSync(`/proc/${pid}/fd/0`);
  return /^(?:socket|pipe):/.test(input) && input === readlinkSync(`/proc/${pid}/fd/2`);
}

function isTerminal(pid: number, descriptor: number): boolean {
  return /^\/dev\/(?:pts\/\d+|tty\w*)$/.test(readlinkSync(`/proc/${pid}/fd/${descriptor}`));
}
