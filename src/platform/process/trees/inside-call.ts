import { readdirSync, readlinkSync } from 'node:fs';
import { LEAST_SLACK, MARKER_VARIABLE, MOST_SLACK } from './call-mark.ts';
import { readProcessFile, readStat } from './process-table.ts';

const MARK_FILE = /\/pegboard-[0-9a-f]{32}/;
const MARK = new RegExp(`(?:^|\\0)${MARKER_VARIABLE}=`);
/** No real tree is deeper; a process table that changes during the scan could look like a cycle. */
const MOST_PARENTS = 1_000;

/**
 * Returns true when a call of a board started this process, directly or not. Checks the environment, open files and timer slack of this
 * process and its ancestors.
 *
 * This is a hint, not a security boundary: a process can leave a tree and hide its origin.
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
  if (MARK.test(readProcessFile(pid, 'environ'))) return true;
  const slack = Number(readProcessFile(pid, 'timerslack_ns'));
  return (slack >= LEAST_SLACK && slack <= MOST_SLACK) || hasMarkFile(pid);
}

function hasMarkFile(pid: number): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => MARK_FILE.test(linkOf(`${folder}/${name}`)));
  } catch {
    // It has ended, belongs to another user, or the system has no /proc.
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

/** Returns the parent of a process; 0 if unknown. */
function parentOf(pid: number): number {
  return Number(readStat(pid)[1] ?? 0) || 0;
}
