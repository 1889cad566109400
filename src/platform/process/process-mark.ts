import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive } from './is-alive.ts';

let own: string | undefined;

/** A mark of this process that other processes can ask `isGone` about. */
export function thisProcess(): string {
  return (own ??= [machine(), process.pid, startOf(process.pid)].join(' '));
}

/**
 * Whether the process with this mark has certainly ended.
 *
 * Of one on another machine, or in a container of its own, nothing is known: then it is not.
 */
export function isGone(mark: string): boolean {
  const [place, pid, start] = mark.split(' ');
  if (place !== machine() || pid === undefined) return false;
  // Numbers of processes are used again: one that started at another time is another one.
  return !isAlive(Number(pid)) || startOf(Number(pid)) !== start;
}

let place: string | undefined;

/** This boot of this machine, and the container whose processes have numbers of their own. */
function machine(): string {
  return (place ??= [
    read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), hostname()),
    read(() => readlinkSync('/proc/self/ns/pid'), ''),
  ].join('/'));
}

/** When a process started, where the system tells it. */
function startOf(pid: number): string {
  return read(() => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program comes second, in brackets, and may hold anything.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  }, '');
}

function read(work: () => string, fallback: string): string {
  try {
    return work().replaceAll(' ', '');
  } catch {
    return fallback;
  }
}
