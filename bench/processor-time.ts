import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds of processor time that a process has used so far, with all its threads; 0 where the system does not tell it. */
export function processorTime(pid: number | undefined): number {
  return sum(tryTo(() => readdirSync(`/proc/${pid}/task`)) ?? [], (thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1_000;
  });
}

/** The same for the processes that a process has started. */
export function childrenTime(pid: number | undefined): number {
  return sum(tryTo(() => readdirSync('/proc')) ?? [], (name) => {
    if (!/^\d+$/.test(name)) return 0;
    // The name of the program stands in brackets before the rest, and may hold anything.
    const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(parent) === pid ? processorTime(Number(name)) : 0;
  });
}

/** Processes and threads end while they are looked at: those count for nothing. */
function sum(names: readonly string[], read: (name: string) => number): number {
  return names.reduce((total, name) => total + (tryTo(() => read(name)) ?? 0), 0);
}

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
