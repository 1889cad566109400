import type { readdirSync, readFileSync } from 'node:fs';

/** What is used of Node. */
interface KillTools {
  readonly readdirSync: typeof readdirSync;
  readonly readFileSync: typeof readFileSync;
  readonly process: Pick<NodeJS.Process, 'kill' | 'pid'>;
}

/**
 * Kills what the children of a board that is gone have left: their process groups, and whoever left those.
 *
 * `running` are the main children with the ids in the environment of all they started. A helper is given this function as
 * text: it may use nothing but its parameters.
 */
export function killLeftTrees(
  { readdirSync, readFileSync, process }: KillTools,
  running: ReadonlyMap<number, string>,
): void {
  const ROUNDS = running.size === 0 ? 0 : 3;
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
  const ids = [...running.values()].filter((id) => id !== '');
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
      const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === undefined || state === '' || state === 'Z') continue;
      children.set(Number(parent), [...(children.get(Number(parent)) ?? []), pid]);
      const isKnown = running.has(pid) || running.has(Number(group));
      const environment = isKnown ? '' : read(pid, 'environ');
      if (isKnown || ids.some((id) => environment.includes(id))) members.add(pid);
    }
    // A set visits what is added to it on the way.
    for (const pid of members) for (const child of children.get(pid) ?? []) members.add(child);
    return members;
  };
  // Whoever forks while we look is found by the next look.
  for (let round = 0; round < ROUNDS; round++) {
    const members = findMembers();
    for (const pid of running.keys()) kill(-pid);
    for (const pid of members) kill(pid);
    if (members.size === 0) return;
  }
}
