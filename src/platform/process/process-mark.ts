import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { readStartTime } from './trees/process-table.ts';

let own: string | undefined;

/** Returns an identifier of this process that others can pass to `isGone`. */
export function thisProcess(): string {
  return (own ??= [machine(), process.pid, readStartTime(process.pid) ?? ''].join(' '));
}

/**
 * Returns true when the process with this identifier has certainly ended.
 *
 * Processes on another machine or in another container cannot be checked and count as running.
 */
export function isGone(mark: string): boolean {
  const [place, pid, start] = mark.split(' ');
  if (place !== machine() || pid === undefined) return false;
  // Pids are reused: a different start time means a different process.
  return !isAlive(Number(pid)) || (readStartTime(Number(pid)) ?? '') !== start;
}

let place: string | undefined;

/** Identifies this boot of this machine and the pid namespace of this container. */
function machine(): string {
  return (place ??= [
    read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), hostname()),
    read(() => readlinkSync('/proc/self/ns/pid'), ''),
  ].join('/'));
}

function read(work: () => string, fallback: string): string {
  try {
    return work().replaceAll(' ', '');
  } catch {
    return fallback;
  }
}

/** Returns true when a process with this pid runs on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
