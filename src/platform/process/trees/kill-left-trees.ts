import type { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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
