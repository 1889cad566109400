// A change that waits for a person is not gained by ending the board, by moving its files, or by going back to an older text.
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noteConsent } from '../src/board/changes/board-changes.ts';
import { carefulFolder, type CarefulFolder } from './careful-board.test-helper.ts';

const HI = { name: 'hi', description: 'Greet', type: 'cli', command: ['echo', 'hi'], risk: 'write' };
const ASKING = { tools: [HI], policy: { approval: { global: 'write' } } };
const OPEN = { tools: [HI], policy: { approval: { global: 'none' } } };

/** Notes what a command such as `pegboard mcp add` notes before it writes the file of the board. */
async function agree({ folder, env }: CarefulFolder, config: unknown): Promise<void> {
  const owner = { given: [join(folder, 'pegboard.yaml')], cwd: folder, env };
  await noteConsent(owner, 'file', JSON.stringify(config, undefined, 1));
}

describe('the consent to a file that a command writes', () => {
  it('does not count for going back to that file later', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    await agree(place, OPEN);
    place.write('pegboard.yaml', OPEN);
    expect(await board.reload()).toBe(true);
    place.write('pegboard.yaml', ASKING);
    expect(await board.reload()).toBe(false);
    const [change] = await place.changes.list();
    await place.changes.answer(change?.id ?? '', { allow: true, by: 'ada' });
    expect(await board.reload()).toBe(true);
    place.write('pegboard.yaml', OPEN);
    expect(await board.reload()).toBe(false);
    expect(await board.call('hi')).toContain('approve');
  });

  it('does not count for one that was replaced before the board read it', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    const later = { ...ASKING, description: 'Later' };
    await agree(place, OPEN);
    await agree(place, later);
    place.write('pegboard.yaml', later);
    expect(await board.reload()).toBe(true);
    place.write('pegboard.yaml', OPEN);
    expect(await board.reload()).toBe(false);
  });

  it('does not count for an imported file that disappears with it', async () => {
    const place = carefulFolder({ tools: [HI], import: 'rules/*.yaml' });
    mkdirSync(join(place.folder, 'rules'));
    place.write('rules/policy.yaml', { policy: ASKING.policy });
    place.write('rules/other.yaml', { description: 'No rules' });
    const board = await place.open();
    const next = { tools: [{ ...HI, description: 'Say hi' }], import: 'rules/*.yaml' };
    await agree(place, next);
    rmSync(join(place.folder, 'rules/policy.yaml'));
    place.write('pegboard.yaml', next);
    expect(await board.reload()).toBe(false);
    expect(await board.call('hi')).toContain('approve');
  });
});

describe('a board that ends', () => {
  it('starts with the files from before, although its file became a link', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    place.write('pegboard.yaml', OPEN);
    expect(await board.reload()).toBe(false);
    await board.end('SIGKILL');
    renameSync(join(place.folder, 'pegboard.yaml'), join(place.folder, 'other.yaml'));
    symlinkSync('other.yaml', join(place.folder, 'pegboard.yaml'));
    const next = await place.open();
    expect(await next.call('hi')).toContain('approve');
  });

  it('looks at its files a last time', async () => {
    const place = carefulFolder(ASKING);
    const board = await place.open();
    place.write('pegboard.yaml', OPEN);
    await board.end();
    expect(await place.changes.list()).toHaveLength(1);
    const next = await place.open();
    expect(await next.call('hi')).toContain('approve');
  });

  it('is killed during the call that changed its files, and starts with those from before', async () => {
    const write = { ...HI, name: 'write', command: ['sh', '-c', 'cp open.json pegboard.yaml; sleep 600'] };
    const policy = { approval: { global: 'write', tools: { write: 'none' } } };
    const place = carefulFolder({ tools: [HI, write], policy });
    place.write('open.json', OPEN);
    const board = await place.open();
    void board.call('write');
    await expect.poll(() => place.changes.list(), { timeout: 60_000 }).toHaveLength(1);
    await board.end('SIGKILL');
    const next = await place.open();
    expect(await next.call('hi')).toContain('approve');
  });
});
