// A store on a disk that is full: calls go on, and what could not be kept is kept once there is room.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSession, post } from '../mcp/http-client.test-helper.ts';
import { fillDisk, mountSmallDisk } from '../small-disk.test-helper.ts';
import { AUTHORIZATION, placeReplicaBoard, startReplica } from './replicas.test-helper.ts';

it('serves on while the disk of its store is full', async ({ skip }) => {
  const disk = mkdtempSync(join(tmpdir(), 'pegboard-disk-'));
  if (!mountSmallDisk(disk)) skip('This user may not mount a disk.');
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-board-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = placeReplicaBoard(folder);
  const env = { PEGBOARD_DATA: join(disk, 'data') };
  const [one, other] = await Promise.all([startReplica(file, { env }), startReplica(file, { env })]);
  onTestFinished(async () => void (await Promise.all([one.kill(), other.kill()])));
  const write = async (url: string, session: object): Promise<number> =>
    (await post(url, { id: 1, method: 'tools/call', params: { name: 'write', arguments: { id: 'x' } } }, session))
      .status;
  const before = await openSession(one.url, AUTHORIZATION);
  fillDisk(join(disk, 'filler'));
  expect(await write(one.url, before)).toBe(200);
  const meanwhile = await openSession(one.url, AUTHORIZATION);
  expect(await write(one.url, meanwhile)).toBe(200);
  rmSync(join(disk, 'filler'));
  await expect
    .poll(async () => {
      await write(one.url, meanwhile);
      return write(other.url, meanwhile);
    })
    .toBe(200);
});
