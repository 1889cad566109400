// Servers that ask for the folders (roots) of the client whose call it is.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectThrough, openDesk, serveDesk } from './served-desk.test-helper.ts';
import { boardFolder, installed } from './upstream-boards.test-helper.ts';
import { ALONE, CLI } from './cli-program.test-helper.ts';

const [A, B] = ['file:///folders/a', 'file:///folders/b'];

const pidOf = (text: string): string => text.split(' ', 1)[0] ?? '';
const foldersOf = (text: string): string => text.slice(text.indexOf(' ') + 1);

describe.for([
  { asks: 'in a call', args: [] },
  { asks: 'when it starts', args: ['--eager'] },
])('a server that asks $asks', ({ args }) => {
  it.for(['legacy', 'auto'] as const)('has a process for each distinct list of folders (%s)', async (mode) => {
    const desk = await openDesk({ roots: true }, {}, ...args);
    const connect = await serveDesk(desk, ['alice']);
    const open = (roots?: () => readonly string[]) => connect({ user: 'alice', mode, ...(roots && { roots }) });
    const [one, other, same, bare] = await Promise.all([open(() => [A]), open(() => [B]), open(() => [A]), open()]);
    const first = await one.call('folders');
    expect(foldersOf(first)).toBe(A);
    const texts = await Promise.all([other, same, bare, one].map(({ call }) => call('folders')));
    expect(texts.map(foldersOf)).toEqual([B, A, 'none', A]);
    const [second, third, fourth, again] = texts.map(pidOf);
    expect([third, again]).toEqual([pidOf(first), pidOf(first)]);
    expect(new Set([second, third, fourth]).size).toBe(3);
    await same.call('remember', { note: 'of a' });
    expect(await one.call('recall')).toBe('of a');
    expect(await other.call('recall')).toBe('nothing');
  });
});

describe('a client over HTTP', () => {
  it('gets the process for its new folders once it says that they changed', async () => {
    const desk = await openDesk({ roots: true });
    const connect = await serveDesk(desk);
    let roots = [A];
    const client = await connect({ roots: () => roots });
    await client.call('pid');
    // No server asks for them yet.
    expect(client.shown()).toBe(0);
    const first = await client.call('folders');
    await client.call('remember', { note: 'of a' });
    expect(client.shown()).toBe(1);
    roots = [B];
    await client.client.sendRootsListChanged();
    expect(foldersOf(await client.call('folders'))).toBe(B);
    expect(await client.call('recall')).toBe('nothing');
    roots = [A];
    await client.client.sendRootsListChanged();
    expect(await client.call('folders')).toBe(first);
    expect(await client.call('recall')).toBe('of a');
    expect(client.shown()).toBe(3);
  });

  it('keeps no one else from the server when it never says its folders', async () => {
    const desk = await openDesk({ roots: true, share: 'board', tools: { folders: { timeout: '500ms' } } });
    const connect = await serveDesk(desk, ['alice', 'bob']);
    const bob = await connect({ user: 'bob', roots: () => [B] });
    bob.client.setRequestHandler('roots/list', () => new Promise(() => {}));
    const alice = await connect({ user: 'alice' });
    expect(await bob.call('folders')).toContain('did not finish within 500 ms');
    expect(await alice.call('recall')).toBe('nothing');
    expect((await desk.board.call('desk_recall')).text).toBe('nothing');
  });

  it('does not show its folders unless the entry says so', async () => {
    const desk = await openDesk();
    const connect = await serveDesk(desk, ['alice']);
    const client = await connect({ user: 'alice', roots: () => ['file:///'] });
    expect(foldersOf(await client.call('folders'))).toBe('none');
    expect(client.shown()).toBe(0);
  });
});

describe('a client over stdio', () => {
  const serve = (folder: string, roots: readonly string[], mode: 'legacy' | 'auto' = 'legacy') =>
    connectThrough(
      new StdioClientTransport({
        command: process.execPath,
        args: [CLI, 'serve', '--mode', 'classic'],
        cwd: folder,
        env: ALONE,
        stderr: 'ignore',
      }),
      { roots: () => roots, mode },
    );
  const shownFolder = (): string => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-roots-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'todo.txt'), 'buy milk');
    return folder;
  };

  it.for(['legacy', 'auto'] as const)(
    'shows its folders to server-filesystem, which serves them (%s)',
    async (mode) => {
      const shown = shownFolder();
      const files = { ...installed('server-filesystem'), prefix: 'desk_' };
      const client = await serve(boardFolder({ mcpServers: { files } }), [pathToFileURL(shown).href], mode);
      // It takes them up some time after it got them; nothing tells when.
      const path = join(shown, 'todo.txt');
      while ((await client.call('read_text_file', { path })) !== 'buy milk');
      expect(await client.call('list_allowed_directories')).toBe(`Allowed directories:\n${shown}`);
    },
  );

  it('keeps them from a server whose entry says roots: false', async () => {
    const shown = shownFolder();
    const own = shownFolder();
    const files = { ...installed('server-filesystem', own), prefix: 'desk_', roots: false };
    const client = await serve(boardFolder({ mcpServers: { files } }), [pathToFileURL(shown).href]);
    expect(await client.call('list_allowed_directories')).toBe(`Allowed directories:\n${own}`);
    expect(client.shown()).toBe(0);
  });

  it('shows them to server-everything, which asks some time after it was started', async () => {
    const everything = { ...installed('server-everything'), prefix: 'desk_' };
    const client = await serve(boardFolder({ mcpServers: { everything } }), [A]);
    expect(await client.call('echo', { message: 'hi' })).toBe('Echo: hi');
    expect(await client.call('get-roots-list')).toContain(A);
  });
});
