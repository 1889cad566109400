// A small disk of its own, for what happens when there is no room left.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { onTestFinished } from 'vitest';

/** Mounts a disk at a folder until the test is over. Returns false where this user may not. */
export function mountSmallDisk(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => {
    execFileSync('/bin/umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  });
  return true;
}

/** Writes until there is no room left. */
export function fillDisk(file: string): void {
  const handle = openSync(file, 'w');
  try {
    for (let size = 65_536; size >= 1;)
      try {
        writeSync(handle, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2);
      }
  } finally {
    closeSync(handle);
  }
}
