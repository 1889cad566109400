import { createGzip } from 'node:zlib';
import { expect, it } from 'vitest';
import { startServer } from '../../../platform/http/loopback-server.test-helper.ts';
import { faultOf, openHttpBoard } from '../http-board.test-helper.ts';

const TYPE = { 'content-type': 'text/event-stream; charset=utf-8' };

async function openStreams() {
  const gone = Promise.withResolvers<void>();
  const server = await startServer(({ target }, response) => {
    if (target === '/refused') return response.writeHead(400, TYPE).end('data: no\n\n');
    if (target === '/json') return response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}');
    if (target === '/packed') {
      const packed = createGzip();
      packed.pipe(response.writeHead(200, { ...TYPE, 'content-encoding': 'gzip' }));
      packed.write('data: 1\n\ndata: [DONE]\n\n');
      return packed.flush();
    }
    response.writeHead(200, TYPE);
    response.on('close', () => gone.resolve());
    if (target === '/ids') return response.end(`id: ${'i'.repeat(100_000)}\n${'data: 1\n\n'.repeat(900)}`);
    if (target === '/closed') return response.end('data: 1\n\nevent: x\nid: 5\ndata: {"b":2}\n\ndata: half');
    response.write('data: {"n": 1}\n\n');
    if (target === '/silent') return undefined;
    response.write('data: two\n\nevent: end\ndata: 3\n\n');
    if (target === '/done') return response.write('data: [DONE]\n\ndata: never\n\n');
    if (target === '/broken') return response.write('data: 4\n\n', () => response.destroy());
    return undefined;
  });
  const tool = (path: string, keys: object = {}) => ({
    requests: [{ url: `${server.origin}/${path}`, stream: { type: 'sse', ...keys } }],
  });
  const board = await openHttpBoard({
    done: tool('done'),
    named: tool('open', { until: 'end' }),
    limited: tool('open', { limit: 2 }),
    timed: tool('silent', { for: '20ms' }),
    closed: { requests: [{ url: `${server.origin}/closed`, stream: 'sse' }] },
    broken: tool('broken'),
    packed: tool('packed'),
    refused: tool('refused'),
    ids: tool('ids'),
    json: tool('json'),
    silent: { timeout: '1s', ...tool('silent') },
    open: tool('open'),
  });
  return { board, server, gone: gone.promise };
}

it('collects events until the last one, for each way to end', async () => {
  const { board, server } = await openStreams();
  const three = [{ data: { n: 1 } }, { data: 'two' }, { event: 'end', data: '3' }];
  const ask = async (name: string): Promise<unknown> => (await board.call(name, {})).data;
  expect(await ask('done')).toEqual({ events: three });
  expect(await ask('named')).toEqual({ events: three });
  expect(await ask('limited')).toEqual({
    events: three.slice(0, 2),
    note: 'These are the first 2 events; further ones were not awaited.',
  });
  expect(await ask('timed')).toEqual({
    events: three.slice(0, 1),
    note: 'These are the 1 events that came in time; the server may send more.',
  });
  expect(await ask('closed')).toEqual({ events: [{ data: '1' }, { event: 'x', id: '5', data: { b: 2 } }] });
  expect(await ask('broken')).toEqual({
    events: [...three, { data: '4' }],
    note: 'The connection broke after 4 events.',
  });
  expect(await ask('packed')).toEqual({ events: [{ data: '1' }] });
  expect(await ask('json')).toEqual({ a: 1 });
  expect((await board.call('refused', {})).text).toContain('The server answered 400');
  expect(server.seen.every(({ headers }) => headers.accept === 'text/event-stream')).toBe(true);
});

it('counts an id with each event that has it', async () => {
  const { board } = await openStreams();
  expect((await board.call('ids', {})).data).toMatchObject({ events: { length: 10 } });
});

it('reports events as they arrive, and ends with the caller', async () => {
  const { board, gone } = await openStreams();
  const controller = new AbortController();
  const told: unknown[] = [];
  const onProgress = (progress: { readonly message?: string }): void => {
    told.push(progress.message);
    controller.abort();
  };
  const result = await board.call('open', {}, { signal: controller.signal, onProgress });
  expect(result.error).toMatchObject({ code: 'cancelled' });
  expect(told).toEqual(['{"n": 1}']);
  await gone;
});

it('reports the events so far when its time has passed', async () => {
  const { board } = await openStreams();
  const { error, text } = await board.call('silent', {});
  expect(error?.code).toBe('timeout');
  expect(text).toContain('Events received:\n{"n": 1}');
});

it('cannot be combined with paginate', async () => {
  const request = { url: 'https://example.com/', stream: 'sse', paginate: { type: 'link' } };
  expect(await faultOf({ requests: [request] })).toContain('stream: cannot be combined with paginate');
});
