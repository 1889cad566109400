// A store on a disk that is full: calls go on, and what could not be kept is kept once there is room.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSession, post } from '../mcp/http-client.test-helper.ts';
import { AUTHORIZATION, placeReplicaBoard, startReplica } from './replicas.test-helper.ts';

/** A disk of its own; `undefined` where this user may not mount one. */
function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-disk-'));
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('/bin/umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** Writes until there is no room left. */
function fill(file: string): void {
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

it('serves on while the disk of its store is full', async ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) skip('This user may not mount a disk.');
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-board-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = placeReplicaBoard(folder);
  const env = { PEGBOARD_DATA: join(String(disk), 'data') };
  const [one, other] = await Promise.all([startReplica(file, { env }), startReplica(file, { env })]);
  onTestFinished(async () => void (await Promise.all([one.kill(), other.kill()])));
  const write = async (url: string, session: object): Promise<number> =>
    (await post(url, { id: 1, method: 'tools/call', params: { name: 'write', arguments: { id: 'x' } } }, session))
      .status;
  const before = await openSession(one.url, AUTHORIZATION);
  fill(join(String(disk), 'filler'));
  expect(await write(one.url, before)).toBe(200);
  const meanwhile = await openSession(one.url, AUTHORIZATION);
  expect(await write(one.url, meanwhile)).toBe(200);
  rmSync(join(String(disk), 'filler'));
  await expect
    .poll(async () => {
      await write(one.url, meanwhile);
      return write(other.url, meanwhile);
    })
    .toBe(200);
});
