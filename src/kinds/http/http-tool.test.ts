import { gzipSync } from 'node:zlib';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { startServer } from '../../platform/http/loopback-server.test-helper.ts';
import { makeFolder, openHttpBoard } from './http-board.test-helper.ts';

/** Binary data without repetitions. */
function makeBytes(size: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, index) => index * 7 + (index >> 8)));
}

describe('a picture', () => {
  it('is complete up to max_media, whatever max_output is', async () => {
    const bytes = makeBytes(3_000_000);
    const { origin } = await startServer((_, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
    );
    const board = await openHttpBoard({ get: { max_output: 1000, requests: [{ url: origin }] } });
    const result = await board.call('get', {});
    expect(result.content).toEqual([
      { type: 'text', text: '[image/png]' },
      { type: 'image', mimeType: 'image/png', data: bytes.toString('base64') },
    ]);
  });

  it.each([
    ['as it is', (bytes: Buffer) => bytes, {}],
    ['compressed', (bytes: Buffer) => gzipSync(bytes), { 'content-encoding': 'gzip' }],
    ['of no type', (bytes: Buffer) => bytes, { 'content-type': '' }],
  ])('over max_media is kept as an output, %s', async (_, pack, headers) => {
    const bytes = makeBytes(400_000);
    const { origin } = await startServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/zip', ...headers }).end(pack(bytes)),
    );
    const board = await openHttpBoard({ get: { max_media: '100KB', requests: [{ url: origin }] } });
    const result = await board.call('get', {});
    const mimeType = 'content-type' in headers ? 'application/octet-stream' : 'application/zip';
    expect(result.data).toEqual({ output: expect.any(String), size: 400_000, mime_type: mimeType });
    const { output } = result.data as { output: string };
    expect(result.text).toBe(
      `[${mimeType}, 400,000 bytes, kept as the output "${output}": pass this id to a tool that sends files]`,
    );
    const kept = board.outputs.open(output);
    expect(kept && (await buffer(kept.stream())).equals(bytes)).toBe(true);
  });

  it('leaves nothing on disk when its server disconnects', async () => {
    const { origin } = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '500000' });
      response.write(makeBytes(400_000), () => response.destroy());
    });
    const folder = makeFolder();
    const keys = { max_media: '100KB', retries: 0, requests: [{ url: origin }] };
    const board = await openHttpBoard({ get: keys }, { folder });
    expect((await board.call('get', {})).error).toMatchObject({ code: 'upstream_unavailable' });
    const kept = (): string[] =>
      readdirSync(join(folder, 'data', 'outputs'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name);
    await vi.waitFor(() => expect(kept()).toEqual([]));
  });
});

describe('a server that is busy', () => {
  it('is retried only if that does no harm', async () => {
    const server = await startServer((request, response) => {
      const before = server.seen.filter(({ target }) => target === request.target).length;
      const status = before > 1 ? 200 : Number(request.target.slice(-3));
      response.writeHead(status, { 'retry-after': '0' }).end(`attempt ${before}`);
    });
    const ask = (method: string, status: number, keys: object = {}): object => {
      const name = `${method}${Object.keys(keys).join('')}${status}`;
      return { [name]: { risk: 'write', ...keys, requests: [{ method, url: `${server.origin}/${name}` }] } };
    };
    const board = await openHttpBoard({
      ...ask('GET', 503),
      ...ask('PUT', 503),
      ...ask('PUT', 503, { retries: 1 }),
      ...ask('POST', 503, { retries: 1 }),
      ...ask('POST', 429),
      ...ask('POST', 503, { risk: 'read' }),
      ...ask('GET', 503, { retries: 0 }),
    });
    const names = board.registry.names().filter((name) => /^[A-Z]/.test(name));
    const results = await Promise.all(names.map(async (name) => [name, (await board.call(name, {})).ok]));
    expect(Object.fromEntries(results)).toEqual({
      GET503: true,
      PUT503: false,
      PUTretries503: true,
      POSTretries503: false,
      POST429: true,
      POSTrisk503: true,
      GETretries503: false,
    });
  });

  it('that asks for a longer wait than a call has is reported to the model', async () => {
    const server = await startServer((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end('slow'));
    const board = await openHttpBoard({ get: { requests: [{ url: server.origin }] } });
    const { text, error } = await board.call('get', {});
    expect(text).toBe(
      `The server answered 429 at ${server.origin}/: slow\nThe server asks to wait 3600 s before the next attempt.`,
    );
    expect(error).toMatchObject({ code: 'execution_failed', recoverable: true });
    expect(server.seen).toHaveLength(1);
  });
});

it('describes its data to clients', async () => {
  const schema = { type: 'object', properties: { id: { type: 'integer' } } };
  const board = await openHttpBoard({ get: { output: { schema }, requests: [{ url: 'https://example.com/' }] } });
  expect(board.registry.get('get')?.outputSchema).toEqual(schema);
});

describe('an idempotency key', () => {
  it("goes into the API's header, one for each request that changes something", async () => {
    const seen: string[] = [];
    const { origin } = await startServer(({ method, headers }, response) => {
      seen.push(`${method} ${String(headers['idempotency-key'] ?? 'none')}`);
      response.end('done');
    });
    const requests = [{ url: origin }, { url: origin, method: 'POST' }, { url: origin, method: 'DELETE' }];
    const keys = { risk: 'write', idempotency_header: 'Idempotency-Key', requests };
    const board = await openHttpBoard({
      pay: keys,
      plain: { risk: 'write', idempotent: true, requests: [{ url: origin }] },
    });
    await board.call('pay', {}, { idempotencyKey: 'k1' });
    await board.call('pay', {});
    expect(seen).toEqual(['GET none', 'POST k1-1', 'DELETE k1-2', 'GET none', 'POST none', 'DELETE none']);
    const declared = ['pay', 'plain'].map((name) => board.registry.get(name)?.metadata.idempotent);
    expect(declared).toEqual(['key', true]);
  });
});
