import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '../../tool/tool-error.ts';
import { isAlive, readStartTime } from '../process/trees/process-table.ts';
import { makeFolder } from '../store/private-file.ts';

/** The name of a folder identifies its owner: pid namespace, pid, start time, and a random part. */
const NAME = /^(\d+)-(\d+)-(\d+)-[\w-]+$/;

/** Creates a folder under `parent` that only this user can enter. Its name lets a later process detect that it is stale. */
export function createPrivateFolder(parent: string): string {
  makeFolder(parent, 0o700);
  checkOwner(parent);
  const owner = [readNamespace(), process.pid, readStartTime(process.pid) ?? '0'].join('-');
  const folder = join(parent, `${owner}-${randomBytes(6).toString('base64url')}`);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Removes folders that ended processes left under `parent`. Ignores errors. */
export function removeStaleFolders(parent: string): void {
  for (const name of listNames(parent)) {
    const [, namespace, pid, start] = NAME.exec(name) ?? [];
    if (namespace !== readNamespace() || isRunning(Number(pid), start)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It belongs to another user, or another process is removing it.
    }
  }
}

/** Refuses a folder in which another user could replace our files. */
function checkOwner(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  const user = process.getuid?.();
  const isOurs = user === undefined || uid === user || uid === 0;
  const isOpen = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
  if (isOurs && !isOpen) return;
  const message = `The folder "${folder}" ${isOurs ? 'may be written by others' : 'belongs to another user'}. Use one of your own, or run: chmod go-w "${folder}".`;
  throw new ToolError({ code: 'permission_denied', message });
}

function isRunning(pid: number, start: string | undefined): boolean {
  return isAlive(pid) && (readStartTime(pid) ?? start) === start;
}

/** Returns the pid namespace: pids of another container mean nothing here. */
function readNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
