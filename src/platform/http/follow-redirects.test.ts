import { describe, expect, it } from 'vitest';
import { openClient, startServer } from './loopback-server.test-helper.ts';
import { sendRequest } from './send-request.ts';

const SECRETS = { Authorization: 'Bearer abc', Cookie: 'a=1', 'X-Api-Key': 'k', Accept: 'text/plain' };

describe('followRedirects', () => {
  it('follows within the origin, relative addresses too, with credentials', async () => {
    const { origin, seen } = await startServer(({ target }, response) => {
      if (target === '/a/start') response.writeHead(302, { location: '../b?x=1' }).end('moved');
      else response.end('there');
    });
    const outcome = await sendRequest(
      { method: 'GET', url: `${origin}/a/start`, headers: SECRETS },
      { client: openClient() },
    );
    expect(outcome).toMatchObject({ ok: true, url: `${origin}/b`, redirects: 1, body: { text: 'there' } });
    expect(seen[1]).toMatchObject({ target: '/b?x=1', headers: { authorization: 'Bearer abc', 'x-api-key': 'k' } });
  });

  it('does not follow a redirect to another origin, and reports it', async () => {
    const other = await startServer((_, response) => response.end());
    const { origin } = await startServer((_, response) =>
      response.writeHead(302, { location: `${other.origin}/x?token=1` }).end(),
    );
    const outcome = await sendRequest({ method: 'GET', url: origin }, { client: openClient() });
    expect(outcome).toMatchObject({ ok: false, status: 302, redirects: 0 });
    expect(outcome.notices).toEqual([
      `The redirect from ${origin} to ${other.origin} was not followed. Call ${other.origin} instead, or set redirects: any in the config.`,
    ]);
    expect(other.seen).toEqual([]);
  });

  it('drops headers meant for one server when it follows to another', async () => {
    const other = await startServer((_, response) => response.end('there'));
    const { origin } = await startServer((_, response) =>
      response.writeHead(307, { location: other.origin.replace('//', '//user:secret@') }).end(),
    );
    const headers = { ...SECRETS, 'X-Pass': 'p', Host: 'first.example' };
    const outcome = await sendRequest(
      { method: 'GET', url: origin, headers },
      { client: openClient(), redirects: 'any' },
    );
    expect(outcome).toMatchObject({ ok: true, redirects: 1 });
    const [arrived] = other.seen;
    expect(arrived).toMatchObject({ method: 'GET', headers: { accept: 'text/plain' } });
    for (const name of ['authorization', 'cookie', 'x-api-key', 'x-pass'])
      expect(arrived?.headers).not.toHaveProperty(name);
    expect(arrived?.headers.host).toBe(new URL(other.origin).host);
  });

  it('never sends a body to another server', async () => {
    const other = await startServer((_, response) => response.end('there'));
    const { origin } = await startServer((_, response) => response.writeHead(307, { location: other.origin }).end());
    const outcome = await sendRequest(
      { method: 'POST', url: origin, body: 'password' },
      { client: openClient(), redirects: 'any' },
    );
    expect(outcome.notices).toEqual([
      `The redirect from ${origin} to ${other.origin} was not followed: it would send the body to another server.`,
    ]);
    expect(other.seen).toEqual([]);
  });

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [301, 'PUT', 'PUT', 'data'],
    [307, 'POST', 'POST', 'data'],
    [308, 'PATCH', 'PATCH', 'data'],
  ])('after %i changes %s to %s', async (status, method, next, body) => {
    const { origin, seen } = await startServer(({ target }, response) => {
      if (target === '/') response.writeHead(status, { location: '/next' });
      response.end();
    });
    const sent = method === 'HEAD' ? undefined : 'data';
    await sendRequest(
      { method, url: origin, headers: { 'Content-Type': 'text/plain' }, body: sent },
      { client: openClient() },
    );
    expect(seen[1]?.method).toBe(next);
    expect(seen[1]?.body.toString()).toBe(body);
    expect(seen[1]?.headers['content-type']).toBe(next === method ? 'text/plain' : undefined);
  });

  it('gives up after five', async () => {
    const { origin, seen } = await startServer((_, response, count) =>
      response.writeHead(302, { location: `/${count}` }).end(),
    );
    await expect(sendRequest({ method: 'GET', url: origin }, { client: openClient() })).rejects.toMatchObject({
      code: 'execution_failed',
      message: `GET ${origin} failed: more than 5 redirects, the last from ${origin}. Check the url of the tool.`,
    });
    expect(seen).toHaveLength(6);
  });

  it('follows no redirects when disabled or without an address', async () => {
    const { origin, seen } = await startServer(({ target }, response) =>
      response.writeHead(302, target === '/none' ? {} : { location: '/next' }).end(),
    );
    const client = openClient();
    expect(await sendRequest({ method: 'GET', url: origin }, { client, redirects: 'none' })).toMatchObject({
      status: 302,
    });
    expect(await sendRequest({ method: 'GET', url: `${origin}/none` }, { client })).toMatchObject({ status: 302 });
    expect(seen).toHaveLength(2);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:10.0.0.1]/',
    'http://0xa.1/',
    'http://localhost:1/',
    'file:///etc/passwd',
    'gopher://x/',
  ])('is refused on the way to %s', async (location) => {
    const { origin, port } = await startServer((_, response) => response.writeHead(302, { location }).end());
    const client = openClient({ allow: [`127.0.0.1:${port}`] });
    await expect(sendRequest({ method: 'GET', url: origin }, { client, redirects: 'any' })).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });
});
