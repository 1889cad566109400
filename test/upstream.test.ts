// Other MCP servers on a board: real ones from npm, and one of each era.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CallOptions, Elicit } from '../src/index.ts';
import { eventually, isAlive } from '../src/platform/process/spawners.test-helper.ts';
import {
  boardFolder,
  fixture,
  installed,
  nextChange,
  openFolder,
  openServers,
  readStarts,
} from './upstream-boards.test-helper.ts';
import { dataOf } from './data-folder.test-helper.ts';

describe('real servers', () => {
  it('puts server-everything on the board, with its images, data and progress', async () => {
    const board = await openServers({ everything: installed('server-everything') });
    expect(board.diagnostics).toEqual([]);
    const echo = board.registry.get('everything__echo');
    expect(echo?.metadata).toMatchObject({ source: 'everything', displayName: 'Echo Tool' });
    expect(await board.call('everything__echo', { message: 'hi' })).toMatchObject({ ok: true, text: 'Echo: hi' });
    const image = await board.call('everything__get-tiny-image');
    expect(image.content?.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    const weather = await board.call('everything__get-structured-content', { location: 'Chicago' });
    expect(weather.data).toMatchObject({ temperature: expect.any(Number) });
    const steps: number[] = [];
    const long = { duration: 0.2, steps: 2 };
    await board.call('everything__trigger-long-running-operation', long, {
      onProgress: ({ done }) => steps.push(done),
    });
    expect(steps).toEqual([1, 2]);
    // The board's own check comes first, in its own words.
    const wrong = await board.call('everything__echo', { mesage: 'hi' });
    expect(wrong.error?.code).toBe('invalid_arguments');
    expect(wrong.text).toContain('Did you mean "message"?');
  });

  it('calls tools that only run as tasks, and answers what those ask', async () => {
    const board = await openServers({ everything: installed('server-everything') });
    const asked: string[] = [];
    const elicit: Elicit = ({ message }) => {
      asked.push(message);
      return { action: 'decline' };
    };
    const query = { topic: 'python', ambiguous: true };
    const { ok, text } = await board.call('everything__simulate-research-query', query, { context: { elicit } });
    expect({ ok, asked }).toEqual({ ok: true, asked: [expect.stringContaining('"python"')] });
    expect(text).toContain('# Research Report: python (User declined');
  });

  it('reads files with server-filesystem, which knows the risk of its tools when it is believed', async () => {
    const folder = boardFolder({});
    writeFileSync(join(folder, 'note.txt'), 'buy milk');
    const board = await openServers({
      files: { ...installed('server-filesystem', folder), trust_hints: true },
      doubted: installed('server-filesystem', folder),
    });
    expect((await board.call('files__read_text_file', { path: join(folder, 'note.txt') })).text).toBe('buy milk');
    expect((await board.call('files__read_text_file', { path: '/etc/passwd' })).error?.code).toBe('execution_failed');
    expect(board.registry.get('files__read_text_file')?.metadata.risk).toBe('read');
    expect(board.registry.get('files__write_file')?.metadata.risk).toBe('destructive');
    expect(board.registry.get('doubted__read_text_file')?.metadata.risk).toBeUndefined();
    expect(board.registry.get('doubted__write_file')?.metadata.risk).toBe('destructive');
  });

  it('keeps what server-memory was told', async () => {
    const folder = boardFolder({});
    const env = { MEMORY_FILE_PATH: join(folder, 'memory__json') };
    const board = await openServers({ memory: { ...installed('server-memory'), env } });
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
    expect((await board.call('memory__create_entities', { entities })).ok).toBe(true);
    expect((await board.call('memory__search_nodes', { query: 'Ada' })).text).toContain('likes engines');
  });
});

describe('a server of the newer era', () => {
  it('is asked, answers in data, reports progress and asks the person of the call', async () => {
    const board = await openServers({ modern: fixture('modern-server.ts') });
    expect(await board.call('modern__add', { a: 2, b: 3 })).toMatchObject({ text: '5', data: { sum: 5 } });
    const steps: number[] = [];
    await board.call('modern__count', {}, { onProgress: ({ done }) => steps.push(done) });
    expect(steps).toEqual([1, 2, 3]);
    const questions: unknown[] = [];
    const elicit = (request: unknown, { tool }: { readonly tool: string }): unknown => {
      questions.push({ request, tool });
      return { action: 'accept', content: { colour: 'red' } };
    };
    expect((await board.call('modern__paint', {}, { context: { elicit } })).text).toBe('painted red');
    expect(questions).toMatchObject([{ tool: 'modern__paint', request: { mode: 'form', message: 'Which colour?' } }]);
    const unasked = await board.call('modern__paint');
    expect(unasked.text).toContain('elicitation');
    expect(unasked.ok).toBe(false);
  });

  it('tells of a new tool, which is on the board at once', async () => {
    const board = await openServers({ modern: fixture('modern-server.ts') });
    const registered: string[] = [];
    board.registry.on('tool:registered', ({ metadata }) => registered.push(metadata.name));
    const changed = nextChange(board);
    await board.call('modern__grow');
    expect(await changed).toBe('modern');
    expect(registered).toEqual(['modern__grown']);
    expect((await board.call('modern__grown')).text).toBe('new');
  });
});

describe('a server of the older era', () => {
  it('has its tools, their titles, risks and schemas', async () => {
    const board = await openServers({ odd: { ...fixture('odd-server.ts'), trust_hints: true } });
    expect(board.registry.get('odd__echo')).toMatchObject({
      metadata: {
        displayName: 'Echo',
        description: 'Echo, version 0',
        risk: 'read',
        source: 'odd',
        icons: [{ src: 'https://example.com/echo.png', sizes: ['48x48'] }],
      },
      inputSchema: { required: ['text'] },
    });
    expect(board.registry.get('odd__wipe')?.metadata.risk).toBe('destructive');
    expect(board.registry.get('odd__grow')?.metadata.risk).toBe('write');
  });

  it('passes on every piece of a result, and what it logs', async () => {
    const board = await openServers({ odd: fixture('odd-server.ts') });
    const logged: unknown[] = [];
    board.executor.on('call:log', ({ level, message, tool }) => logged.push([level, message, tool]));
    const { content, data } = await board.call('odd__rich');
    expect(content?.map(({ type }) => type)).toEqual(['text', 'image', 'resource_link', 'resource', 'text']);
    expect(data).toEqual({ n: 4 });
    expect(logged).toEqual([['warn', 'careful', 'odd__rich']]);
  });

  it('gets the answer of a person with defaults filled in, and a no where no person can be asked', async () => {
    const board = await openServers({ odd: fixture('odd-server.ts') });
    expect((await board.call('odd__ask')).text).toBe('{"action":"decline"}');
    const elicit = (): unknown => ({ action: 'accept', content: {} });
    const { text } = await board.call('odd__ask', {}, { context: { elicit } });
    expect(JSON.parse(text)).toEqual({ action: 'accept', content: { colour: 'blue' } });
  });

  it('is refused samples politely, and shown no folders where there are none', async () => {
    const kept = { ...fixture('odd-server.ts'), roots: false };
    const board = await openServers({ odd: fixture('odd-server.ts'), kept });
    const samples = {
      code: -32601,
      message: 'The caller lends no model to sample from, or the board does not let this server use it.',
    };
    const refused = { code: -32601, message: 'Pegboard shares no folders of its user. Name them in the arguments.' };
    expect(JSON.parse((await board.call('odd__roots')).text)).toEqual([{ roots: [] }, samples, {}]);
    expect(JSON.parse((await board.call('kept__roots')).text)).toEqual([refused, samples, {}]);
  });

  it('is told when a call is cancelled', async () => {
    const board = await openServers({ odd: fixture('odd-server.ts') });
    const stop = new AbortController();
    const call = board.call('odd__slow', {}, { signal: stop.signal });
    await board.call('odd__echo', { text: 'the other one is under way' });
    stop.abort();
    expect((await call).error?.code).toBe('cancelled');
    expect(await eventually(() => board.servers[0]?.errors.find((line) => /^cancelled \d+$/.test(line)))).toBeDefined();
  });

  it('is told when a task is cancelled', async () => {
    const board = await openServers({ odd: fixture('odd-server.ts', '--list', 'task') });
    const said = (line: string): Promise<unknown> =>
      eventually(() => board.servers[0]?.errors.find((heard) => heard === line));
    const stop = new AbortController();
    const call = board.call('odd__endless', {}, { signal: stop.signal });
    await said('tasks/result one');
    stop.abort();
    expect((await call).error?.code).toBe('cancelled');
    expect(await said('tasks/cancel one')).toBeDefined();
  });

  it.each([
    ['numbers', ['1/2 step 1', '2/2 step 2']],
    ['statuses', ['1/? stage 1', '2/? stage 2']],
    ['asked', ['1/? half way']],
  ])('tells how far its task is: %s', async (tool, expected) => {
    const board = await openServers({ tasks: { ...fixture('task-server.ts'), prefix: '' } });
    const heard: string[] = [];
    const onProgress: CallOptions['onProgress'] = ({ done, total, message }) =>
      heard.push(`${done}/${total ?? '?'} ${message}`);
    expect((await board.call(tool, {}, { onProgress })).text).toBe('done');
    expect(heard).toEqual(expected);
  });

  it('may end when it is asked in words of the newer era: it is started again and asked in its own', async () => {
    const board = await openServers({ odd: fixture('odd-server.ts', '--strict') });
    expect((await board.call('odd__echo', { text: 'here' })).text).toBe('here');
  });
});

describe('lazy', () => {
  it('starts nothing for what is known, one process for many first calls, and stops it when idle', async () => {
    const folder = boardFolder({});
    const starts = join(folder, 'starts');
    const odd = {
      ...fixture('odd-server.ts', '--starts', starts),
      idle: '300ms',
      env: { SECRET_TOKEN: 'hunter2hunter2' },
    };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ mcpServers: { odd } }));
    const first = await openFolder(folder);
    expect(readStarts(starts)).toHaveLength(1);
    await first.close();
    const kept = readdirSync(join(dataOf(folder), 'mcp'));
    expect(kept.toSorted()).toEqual([
      expect.stringMatching(/^odd-[0-9a-f]{16}\.json$/),
      expect.stringMatching(/^odd-[0-9a-f]{16}\.seen-[0-9a-f]{16}\.json$/),
    ]);
    for (const file of kept) expect(readFileSync(join(dataOf(folder), 'mcp', file), 'utf8')).not.toContain('hunter2');

    const board = await openFolder(folder);
    expect(board.registry.has('odd__echo')).toBe(true);
    expect(board.search('echo')).toHaveLength(1);
    expect(board.servers).toMatchObject([{ name: 'odd', state: 'stopped', starts: 0 }]);
    const calls = Array.from({ length: 20 }, (_, n) => board.call('odd__echo', { text: String(n) }));
    expect((await Promise.all(calls)).map(({ text }) => Number(text))).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(readStarts(starts)).toHaveLength(2);
    const pid = readStarts(starts)[1] ?? 0;
    await eventually(() => board.servers[0]?.state === 'stopped' && !isAlive(pid));
    expect((await board.call('odd__echo', { text: 'again' })).text).toBe('again');
    expect(readStarts(starts)).toHaveLength(3);
  });

  it('starts every server at once when it is eager, and none when only the cache counts', async () => {
    const folder = boardFolder({});
    const starts = join(folder, 'starts');
    writeFileSync(
      join(folder, 'pegboard.yaml'),
      JSON.stringify({ mcpServers: { odd: fixture('odd-server.ts', '--starts', starts) } }),
    );
    const cached = await openFolder(folder, { servers: 'cached' });
    expect(existsSync(starts)).toBe(false);
    expect(cached.diagnostics).toMatchObject([
      { severity: 'note', message: 'what it offers is not known yet, and it is not asked now.' },
    ]);
    await (await openFolder(folder)).close();
    const eager = await openFolder(folder, { eager: true });
    expect(eager.servers).toMatchObject([{ state: 'running', starts: 1 }]);
    expect(readStarts(starts)).toHaveLength(2);
  });

  it('learns what changed since the manifest before the first call gets through', async () => {
    const folder = boardFolder({ mcpServers: { odd: { ...fixture('odd-server.ts'), env: { DESCRIPTION: 'old' } } } });
    await (await openFolder(folder)).close();
    const changed = { ...fixture('odd-server.ts'), env: { DESCRIPTION: 'new' } };
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ mcpServers: { odd: changed } }));
    const board = await openFolder(folder);
    expect(board.registry.get('odd__echo')?.metadata.description).toBe('old');
    await board.call('odd__echo', { text: 'x' });
    expect(board.registry.get('odd__echo')?.metadata.description).toBe('new');
  });

  it('keeps a running server when the files are read again, and ends one that is no longer in them', async () => {
    const folder = boardFolder({ mcpServers: { odd: fixture('odd-server.ts') } });
    const board = await openFolder(folder);
    const { pid } = board.servers[0] ?? {};
    await board.reload();
    expect(board.servers[0]?.pid).toBe(pid);
    writeFileSync(join(folder, 'pegboard.yaml'), JSON.stringify({ tools: [] }));
    await board.reload();
    expect(board.servers).toEqual([]);
    await eventually(() => !isAlive(pid ?? 0));
  });
});
