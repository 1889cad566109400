// A reload keeps what calls in flight need until they end, and nothing else.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBoard, type Board, type OpenBoardOptions } from '../src/index.ts';
import { fixture } from './upstream-boards.test-helper.ts';

interface Live {
  readonly board: Board;
  readonly folder: string;
  /** Writes another config, with another key in the environment, and reloads. */
  change(config: unknown, key?: string): Promise<void>;
}

async function open(config: unknown, options: OpenBoardOptions = {}): Promise<Live> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-reload-'));
  const file = join(folder, 'pegboard.yaml');
  const write = (next: unknown): void => writeFileSync(file, JSON.stringify(next));
  write(config);
  const env = { ...process.env, SHOP_KEY: 'the-old-key-of-it' };
  const board = await openBoard(file, { cwd: folder, env, ...options });
  onTestFinished(async () => {
    await board.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const change = async (next: unknown, key = 'the-new-key-of-it'): Promise<void> => {
    env.SHOP_KEY = key;
    write(next);
    expect(await board.reload()).toEqual({ ok: true });
  };
  return { board, folder, change };
}

/** A server whose answers the test gives: each request that comes in waits for it. */
async function listen(): Promise<{ origin: string; next(): Promise<[IncomingMessage, ServerResponse]> }> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const origin = typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
  return {
    origin,
    // The event carries these two.
    next: async () => (await once(server, 'request')) as [IncomingMessage, ServerResponse],
  };
}

function web(origin: string): unknown {
  return {
    tools: [
      {
        name: 'web',
        description: 'Get a page',
        type: 'http',
        allow_hosts: [origin],
        requests: [{ url: `http://${origin}/`, headers: { Authorization: 'Bearer ${SHOP_KEY}' } }],
      },
    ],
  };
}

/** The open files of this process below a folder. */
function openFiles(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${number}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}

describe('a call that is under way while the files are read again', () => {
  it('ends on the board it began on, and neither its secrets nor the new ones are shown', async () => {
    const { origin, next } = await listen();
    const { board, change } = await open(web(origin));
    const arrived = next();
    const call = board.call('web', {});
    const [request, response] = await arrived;
    await change(web(origin));
    await change(web(origin), 'the-third-key-of-it');
    expect(request.headers.authorization).toBe('Bearer the-old-key-of-it');
    expect(board.redact('the-old-key-of-it and the-third-key-of-it')).toBe('[redacted] and [redacted]');
    response.end('the-old-key-of-it, the-third-key-of-it');
    expect((await call).text).toBe('[redacted], [redacted]');
  });

  it('has its late log lines cleaned as well', async () => {
    const { origin, next } = await listen();
    const { board, change } = await open(web(origin));
    const arrived = next();
    const stop = new AbortController();
    const call = board.call('web', {}, { signal: stop.signal });
    await arrived;
    await change(web(origin));
    stop.abort();
    expect((await call).error?.code).toBe('cancelled');
    expect(board.executor.redact({ log: 'it was the-old-key-of-it' })).toEqual({ log: 'it was [redacted]' });
  });

  it('may be called through a tool that the caller kept from before', async () => {
    const { origin, next } = await listen();
    const { board, change } = await open(web(origin));
    const kept = board.registry.get('web');
    await change({ tools: [{ name: 'other', description: 'Other', type: 'cli', command: ['echo', 'hi'] }] });
    for (const answer of ['one the-old-key-of-it', 'two the-old-key-of-it']) {
      const arrived = next();
      const call = kept?.execute({});
      const [, response] = await arrived;
      response.end(answer);
      expect(await call).toBe(answer.replace('the-old-key-of-it', '[redacted]'));
    }
  });

  it('keeps a server that the files no longer have, also while a person is asked', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<boolean>();
    const policy = { approval: { global: 'all' } };
    const { board, change } = await open(
      { policy, mcpServers: { odd: fixture('odd-server.ts') } },
      {
        approve: () => {
          asked.resolve();
          return answer.promise;
        },
      },
    );
    const [server] = board.servers;
    const call = board.call('odd__echo', { text: 'still there' });
    await asked.promise;
    await change({ tools: [{ name: 'other', description: 'Other', type: 'cli', command: ['echo', 'hi'] }] });
    expect(board.servers).toEqual([]);
    answer.resolve(true);
    expect((await call).text).toContain('still there');
    // The call is over: so is the server.
    expect(await server?.connect()).toContain('its entry in the config was changed or removed');
  });
});

describe('policies', () => {
  it('of a board that had none hold from the next call on, and no longer than they are there', async () => {
    const config = { tools: [{ name: 'hi', description: 'Greet', type: 'cli', command: ['echo', 'hi'] }] };
    const asked: string[] = [];
    const { board, change } = await open(config, {
      approve: ({ tool }) => {
        asked.push(tool);
        return false;
      },
    });
    expect((await board.call('hi', {})).text).toBe('hi\n');
    await change({ ...config, policy: { approval: { global: 'all' } } });
    expect((await board.call('hi', {})).error?.code).toBe('permission_denied');
    await change(config);
    expect((await board.call('hi', {})).text).toBe('hi\n');
    expect(asked).toEqual(['hi']);
  });
});

describe('connections', () => {
  it('to a store that the files no longer name are closed when the last call is over', async () => {
    const knowledge = (url: string): unknown => ({
      rag: { servers: { default: { driver: 'sqlite', endpoint_url: url } }, collections: { notes: {} } },
      tools: [
        { name: 'notes', description: 'Notes', type: 'rag', collection: 'notes', operations: ['search', 'store'] },
      ],
    });
    const { board, folder, change } = await open(knowledge('one.db'));
    await board.call('notes-store', { content: 'Flour is on the third shelf.' });
    expect(openFiles(join(folder, 'one.db'))).not.toEqual([]);
    const search = board.call('notes-search', { query: 'flour' });
    await change(knowledge('two.db'));
    expect((await search).text).toContain('third shelf');
    expect((await board.call('notes-search', { query: 'flour' })).text).not.toContain('third shelf');
    // Closing takes a turn of its own.
    while (openFiles(join(folder, 'one.db')).length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(openFiles(join(folder, 'two.db'))).not.toEqual([]);
  });
});

describe('memory', () => {
  const reload = async (...args: string[]): Promise<{ heap: number; files: number }[]> => {
    const script = join(import.meta.dirname, 'fixtures/reload-board.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, ...args]);
    return JSON.parse(stdout);
  };

  it('stays the same over 2,000 reloads', { timeout: 300_000 }, async () => {
    const [, early, , , late] = await reload('small', '400', '5');
    // 250 bytes for each of the 1,200 reloads between the two.
    expect((late?.heap ?? NaN) - (early?.heap ?? NaN)).toBeLessThan(300_000);
    expect(late?.files).toBe(early?.files);
  });

  it(
    'stays the same with servers, knowledge, agents, scripts, a page and clients on the board',
    { timeout: 300_000 },
    async () => {
      const [, early, , late] = await reload('full', '100', '4');
      // Each reading of these files holds 180 kB.
      expect((late?.heap ?? NaN) - (early?.heap ?? NaN)).toBeLessThan(5_000_000);
      expect(late?.files).toBeLessThanOrEqual((early?.files ?? NaN) + 2);
    },
  );
});
