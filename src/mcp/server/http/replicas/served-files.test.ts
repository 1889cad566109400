import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openBoardStore } from '../../../../platform/store/open-board-store.ts';
import { Replica } from './replica.ts';
import { ServedFiles } from './served-files.ts';

it('says when another replica serves other files, and when it no longer does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-files-'));
  const start = (digest: string) => {
    const store = openBoardStore({ folder });
    const replica = new Replica({ store: () => store, onMail: () => {} });
    const log = vi.fn<(text: string) => void>();
    const onOther = vi.fn<() => void>();
    const files = new ServedFiles({ replica, log, onOther, settling: 10 });
    replica.onJoin = () => files.watch();
    files.update({ version: '1', digest });
    files.join();
    return { store, replica, log, onOther, files };
  };
  const [one, other] = [start('aaa'), start('bbb')];
  const where = `${other.replica.id} on ${hostname()} (process ${process.pid})`;
  const warning = `warning: 1 replica serves other files than this one: ${where}. Give all replicas the same files, or reload them.`;
  await vi.waitFor(() => expect(one.log.mock.calls).toEqual([[warning]]));
  expect(one.files.warning).toBe('1 replica serves other files than this one');
  expect(one.onOther).toHaveBeenCalled();
  other.files.update({ version: '1', digest: 'aaa' });
  await vi.waitFor(() => expect(one.log).toHaveBeenLastCalledWith('all replicas serve the same files again'));
  expect(one.files.warning).toBeUndefined();
  for (const { store, replica, files } of [one, other]) {
    files.close();
    await replica.close();
    await store.close();
  }
  rmSync(folder, { recursive: true, force: true });
});
