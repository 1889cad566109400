import type { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A call's main child, and the mark of all it started. */
export interface LeftTree {
  /** 0 when the child was only about to start. */
  readonly pid: number;
  readonly id: string;
  /** 0 when there is none. */
  readonly slack: number;
  readonly since: number;
}

/** What is used of Node. */
interface KillTools {
  readonly readdirSync: typeof readdirSync;
  readonly readFileSync: typeof readFileSync;
  readonly readlinkSync: typeof readlinkSync;
  readonly process: Pick<NodeJS.Process, 'kill' | 'pid'>;
}

/**
 * Kills what the calls of a board that is gone have left: their process groups, and all that left those.
 *
 * Another process is given this function as text: it may use nothing but its parameters.
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
      // It was faster, or is not ours.
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
    // An id of another board's call counts only with its slack, which are its first digits: a process can make one up.
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
      // Without /proc there are only the groups.
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
    // A set visits what is added to it on the way.
    for (const pid of members) for (const child of children.get(pid) ?? []) members.add(child);
    members.delete(process.pid);
    return members;
  };
  // What forks while we look is found by the next look.
  for (let round = 0; round < ROUNDS; round++) {
    const members = findMembers();
    for (const pid of MAIN) kill(-pid);
    for (const pid of members) kill(pid);
    if (members.size === 0) return;
    if (round > 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
  }
}
