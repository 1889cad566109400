import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { LEAST_SLACK, MARKER_VARIABLE, MOST_SLACK } from './call-mark.ts';

const MARK_FILE = /\/pegboard-[0-9a-f]{32}/;
const MARK = new RegExp(`(?:^|\\0)${MARKER_VARIABLE}=`);
/** No tree is deeper; a table of processes that changes meanwhile could seem to be a circle. */
const MOST_PARENTS = 1_000;

/**
 * Whether this process was started by a call of a board, or by anything that such a call started: by its environment, its open files
 * and its timer slack, and by those of the processes above it.
 *
 * A hint and no wall: a process that wants to can leave a tree and hide where it came from.
 */
export function isInsideCall(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env[MARKER_VARIABLE] !== undefined || process.env[MARKER_VARIABLE] !== undefined) return true;
  let pid = process.pid;
  for (let count = 0; pid > 1 && count < MOST_PARENTS; count++) {
    if (isMarked(pid)) return true;
    pid = parentOf(pid);
  }
  return false;
}

function isMarked(pid: number): boolean {
  if (MARK.test(read(pid, 'environ'))) return true;
  const slack = Number(read(pid, 'timerslack_ns'));
  return (slack >= LEAST_SLACK && slack <= MOST_SLACK) || hasMarkFile(pid);
}

function hasMarkFile(pid: number): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => MARK_FILE.test(linkOf(`${folder}/${name}`)));
  } catch {
    // It is gone, not ours, or the system has no /proc.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** The process that started another; 0 where that is not known. */
function parentOf(pid: number): number {
  const stat = read(pid, 'stat');
  // The name of the program comes second, in brackets, and may hold anything.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0) || 0;
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
