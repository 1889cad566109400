import { describe, expect, it } from 'vitest';
import { type HttpClock, parseRetryAfter } from './retry-request.ts';
import { openClient, startServer } from './loopback-server.test-helper.ts';
import { sendRequest } from './send-request.ts';

const NOW = Date.UTC(2030, 0, 1, 12, 0, 0);

/** Creates a clock that does not wait but records the requested delays. */
function createFakeClock(): HttpClock & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  let now = NOW;
  return {
    waits,
    now: () => now,
    random: () => 0.5,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
}

describe('retryRequest', () => {
  it.each([429, 502, 503, 504])('retries after %i with growing delays', async (status) => {
    const { origin } = await startServer((_, response, count) => response.writeHead(count < 4 ? status : 200).end());
    const clock = createFakeClock();
    const outcome = await sendRequest({ method: 'GET', url: origin }, { client: openClient(), retries: 5, clock });
    expect(outcome).toMatchObject({ ok: true, attempts: 4 });
    expect(clock.waits).toEqual([187.5, 375, 750]);
  });

  it.each([
    ['7', 7000],
    ['0', 0],
    ['Tue, 01 Jan 2030 12:00:09 GMT', 9000],
    ['Tue, 01 Jan 2030 11:00:00 GMT', 0],
    ['soon', 187.5],
    ['-5', 187.5],
  ])('waits as Retry-After: %s asks', async (header, wait) => {
    const { origin } = await startServer((_, response, count) =>
      response.writeHead(count === 1 ? 503 : 200, { 'retry-after': header }).end(),
    );
    const clock = createFakeClock();
    await sendRequest({ method: 'GET', url: origin }, { client: openClient(), retries: 1, clock });
    expect(clock.waits).toEqual([wait]);
  });

  it('does not wait longer than allowed, and reports the requested delay', async () => {
    const { origin, seen } = await startServer((_, response) =>
      response.writeHead(429, { 'retry-after': '3600' }).end(),
    );
    const clock = createFakeClock();
    const outcome = await sendRequest({ method: 'GET', url: origin }, { client: openClient(), retries: 3, clock });
    expect(outcome).toMatchObject({
      status: 429,
      notices: ['The server asks to wait 3600 s before the next attempt.'],
    });
    expect([clock.waits, seen.length]).toEqual([[], 1]);
  });

  it('does not start an attempt that its timeout would end', async () => {
    const { origin, seen } = await startServer((_, response) => response.writeHead(503, { 'retry-after': '20' }).end());
    const options = { client: openClient(), retries: 3, timeout: 30_000, clock: createFakeClock() };
    expect(await sendRequest({ method: 'GET', url: origin }, options)).toMatchObject({ status: 503, attempts: 2 });
    expect(seen).toHaveLength(2);
  });

  it.each(['POST', 'PATCH'])('never sends %s twice', async (method) => {
    const { origin, seen } = await startServer((_, response) => response.writeHead(503).end());
    const options = { client: openClient(), retries: 3, clock: createFakeClock() };
    expect(await sendRequest({ method, url: origin, body: 'x' }, options)).toMatchObject({ status: 503, attempts: 1 });
    expect(seen).toHaveLength(1);
  });

  it('tries again after a broken connection, with the body', async () => {
    const { origin, seen } = await startServer((_, response, count) => {
      if (count < 3) response.socket?.destroy();
      else response.end('ok');
    });
    const options = { client: openClient(), retries: 2, clock: createFakeClock() };
    expect(await sendRequest({ method: 'PUT', url: origin, body: 'x' }, options)).toMatchObject({
      ok: true,
      attempts: 3,
    });
    expect(seen.map(({ body }) => body.toString())).toEqual(['x', 'x', 'x']);
  });

  it('returns the last failure, and retries nothing by default', async () => {
    const { origin, seen } = await startServer((_, response) => response.socket?.destroy());
    const client = openClient();
    const clock = createFakeClock();
    await expect(sendRequest({ method: 'GET', url: origin }, { client, retries: 2, clock })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    expect(seen).toHaveLength(3);
    await expect(sendRequest({ method: 'GET', url: origin }, { client, clock })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    expect(seen).toHaveLength(4);
  });

  it('does not retry requests that the egress policy forbids', async () => {
    const clock = createFakeClock();
    const options = { client: openClient({ allow: [] }), retries: 3, clock };
    await expect(sendRequest({ method: 'GET', url: 'http://127.0.0.1:1/' }, options)).rejects.toMatchObject({
      code: 'permission_denied',
    });
    expect(clock.waits).toEqual([]);
  });

  it('stops waiting when it is cancelled', async () => {
    const controller = new AbortController();
    const { origin } = await startServer((_, response) => {
      response.on('close', () => setImmediate(() => controller.abort()));
      response.writeHead(503, { 'retry-after': '29' }).end();
    });
    const options = { client: openClient(), retries: 3, signal: controller.signal };
    await expect(sendRequest({ method: 'GET', url: origin }, options)).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('parseRetryAfter', () => {
  it('reads seconds and dates, and nothing else', () => {
    expect(
      ['5', ' 5 ', '1.5', '', '2030', 'Tue, 01 Jan 2030 12:00:01 GMT', '99999999999'].map((text) =>
        parseRetryAfter(text, NOW),
      ),
    ).toEqual([5000, 5000, undefined, undefined, 2_030_000, 1000, undefined]);
  });
});
