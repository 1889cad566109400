import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Board, ConfigError, openBoard } from '../src/index.ts';
import { type SeenRequest, startServer } from '../src/platform/http/loopback-server.test-helper.ts';

const folder = mkdtempSync(join(tmpdir(), 'pegboard-http-auth-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Picks the credentials of a request, and the name of its sender. */
function sent({ target, headers }: SeenRequest): object {
  const names = ['authorization', 'cookie', 'x-key', 'x-file', 'x-both'] as const;
  return { target, ...Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))) };
}

async function open(config: unknown, env: Readonly<Record<string, string>> = {}): Promise<Board> {
  const file = join(folder, 'pegboard.yaml');
  writeFileSync(file, JSON.stringify(config));
  const board = await openBoard(file, { env, allowHosts: ['127.0.0.1'] });
  onTestFinished(() => board.close());
  return board;
}

function tool(name: string, url: string, more: object = {}): object {
  return { name, type: 'http', description: name, risk: 'read', requests: [{ url }], ...more };
}

describe('what http tools of a file have in common', () => {
  it('may be the private hosts that they reach, unless a tool names its own', async () => {
    const { origin } = await startServer((_, response) => response.end('there'));
    const file = join(folder, 'private.yaml');
    const http = { base_url: origin, allow_hosts: ['127.0.0.1'] };
    writeFileSync(file, JSON.stringify({ http, tools: [tool('in', '/'), tool('out', '/', { allow_hosts: [] })] }));
    const board = await openBoard(file);
    onTestFinished(() => board.close());
    expect(await board.call('in')).toMatchObject({ ok: true, text: 'there' });
    expect(await board.call('out')).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
  });

  it('is named with its tool where it is too short to be kept out of results', async () => {
    const auth = { type: 'basic', username: 'ann', password: 'x' };
    const board = await open({
      tools: [tool('plain', 'https://a.example'), tool('weak', 'https://b.example', { auth })],
    });
    expect(board.diagnostics.map(({ path, message }) => [path, message.split(',')[0]])).toEqual([
      [['tools', 1], 'auth.password is a secret by its name'],
    ]);
  });

  it('is named where a server refuses it', async () => {
    const { origin } = await startServer((_, response) => response.writeHead(401).end('no'));
    const auths = {
      bearer: { type: 'bearer', token: 'token-of-a-tool' },
      header: { type: 'api_key', name: 'X-Key', value: 'key-of-a-tool' },
      nothing: { type: 'none' },
    };
    const board = await open({ tools: Object.entries(auths).map(([name, auth]) => tool(name, origin, { auth })) });
    const said = `The server answered 401 at ${origin}/: no`;
    const advice = 'The operator of the tool must check';
    const results = await Promise.all(Object.keys(auths).map((name) => board.call(name)));
    expect(results.map(({ text }) => text)).toEqual([
      `${said}\nThe server refused the credentials (bearer). ${advice} auth.token in its config, and the variables there.`,
      `${said}\nThe server refused the credentials (api_key (header X-Key)). ${advice} auth.name and auth.value in its config, and the variables there.`,
      said,
    ]);
  });

  it('goes before what a tool says, with each kind of credentials in its place', async () => {
    const { origin, seen } = await startServer(({ headers }, response) => response.end(JSON.stringify(headers)));
    const board = await open({
      http: {
        base_url: `${origin}/v2/`,
        headers: { 'X-File': 'file', 'X-Both': 'file' },
        auth: { type: 'bearer', token: 'token-of-the-file' },
      },
      tools: [
        tool('common', '/me?all=1'),
        tool('bare', 'me'),
        tool('other_base', '/me', { base_url: `${origin}/v3`, headers: { 'x-both': 'tool', 'User-Agent': 'mine/1' } }),
        tool('basic', '/me', { auth: { type: 'basic', username: 'ann', password: 'pass:word' } }),
        tool('header', '/me', { auth: { type: 'api_key', name: 'X-Key', value: 'key-of-a-tool' } }),
        tool('query', '/me?a=1', { auth: { type: 'api_key', in: 'query', name: 'key', value: 'k&y=1234' } }),
        tool('cookie', '/me', {
          headers: { Cookie: 'a=1' },
          auth: { type: 'api_key', in: 'cookie', name: 'sid', value: 'session-1' },
        }),
        tool('none', '/me', { auth: { type: 'none' } }),
        tool('written', '/me', { headers: { Authorization: 'Mine' } }),
      ],
    });
    const texts: string[] = [];
    for (const { metadata } of board.registry.getAll()) texts.push((await board.call(metadata.name)).text);
    const file = { 'x-file': 'file', 'x-both': 'file' };
    const authorization = 'Bearer token-of-the-file';
    expect(seen.map(sent)).toEqual([
      { target: '/v2/me?all=1', authorization, ...file },
      { target: '/v2/me', authorization, ...file },
      { target: '/v3/me', authorization, 'x-file': 'file', 'x-both': 'tool' },
      { target: '/v2/me', authorization: `Basic ${btoa('ann:pass:word')}`, ...file },
      { target: '/v2/me', 'x-key': 'key-of-a-tool', ...file },
      { target: '/v2/me?a=1&key=k%26y%3D1234', ...file },
      { target: '/v2/me', cookie: 'a=1; sid=session-1', ...file },
      { target: '/v2/me', ...file },
      { target: '/v2/me', authorization: 'Mine', ...file },
    ]);
    const agents = seen.map(({ headers }) => headers['user-agent']);
    expect(agents[0]).toMatch(/^pegboard\/\d+\.\d+\.\d+/);
    expect(agents[2]).toBe('mine/1');
    // Secrets that a server repeats are shown to no one.
    expect(texts.join('\n')).not.toMatch(/token-of-the-file|key-of-a-tool|session-1|cGFzczp3b3Jk/);
    expect(board.diagnostics.map(({ message }) => message)).toEqual([
      'sends the header "Authorization" in place of auth (bearer). Keep one of them.',
    ]);
    const { steps } = await board.dryRun('header', {});
    expect(steps).toMatchObject([{ auth: 'api_key (header X-Key)' }]);
    expect(JSON.stringify(steps)).not.toContain('key-of-a-tool');
  });

  it('signs each attempt for AWS, with its body, and follows the host only where it says what for', async () => {
    const { origin, seen } = await startServer((_, response, count) => {
      if (count === 1) response.writeHead(307, { location: '/moved?b=2&a=1' }).end();
      else response.end('ok');
    });
    const keys = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret-of-aws', session_token: 'session-of-aws' };
    const auth = { type: 'aws_sigv4', ...keys, region: 'eu-west-1', service: 'dynamodb' };
    const requests = [{ method: 'POST', url: '/', body: { TableName: 'a' } }];
    const board = await open({
      http: { base_url: origin, auth },
      tools: [{ ...tool('put', '/'), requests }, tool('unknown', '/', { auth: { type: 'aws_sigv4', ...keys } })],
    });
    expect((await board.call('put')).text).toBe('ok');
    const signatures = seen.map(({ headers }) => /Signature=(\w{64})$/.exec(headers.authorization ?? '')?.[1]);
    expect(new Set(signatures).size).toBe(2);
    for (const { headers, body } of seen) {
      expect(body.toString()).toBe('{"TableName":"a"}');
      expect(headers['x-amz-security-token']).toBe('session-of-aws');
      expect(headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/dynamodb\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, /,
      );
    }
    expect((await board.call('unknown')).text).toContain('127.0.0.1 does not say its region. Set auth.region');
    expect(board.redact('secret-of-aws session-of-aws')).toBe('[redacted] [redacted]');
    expect(seen).toHaveLength(2);
  });

  it('sends credentials to the host that they are for: not where a url, a redirect or an argument points', async () => {
    const other = await startServer((_, response) => response.end('other'));
    const home = await startServer(({ target }, response) => {
      const places: Record<string, string> = {
        '/away': `${other.origin}/x`,
        '/near': '/me',
        '/back': `${back.origin}/x`,
      };
      const location = places[target];
      if (location === undefined) response.end('home');
      else response.writeHead(302, { location }).end();
    });
    const back = await startServer((_, response) => response.writeHead(302, { location: `${home.origin}/me` }).end());
    const schema = { properties: { id: { type: 'string' } }, required: ['id'] };
    const board = await open({
      http: {
        base_url: home.origin,
        headers: { 'X-File': 'file' },
        auth: { type: 'bearer', token: 'token-of-the-file' },
      },
      tools: [
        tool('elsewhere', `${other.origin}/y`),
        tool('other_base', '/z', { base_url: other.origin }),
        tool('own', `${other.origin}/own`, { auth: { type: 'bearer', token: 'token-of-the-tool' } }),
        tool('away', '/away', { redirects: 'any' }),
        tool('near', '/near'),
        tool('back', '/back', { redirects: 'any' }),
        tool('item', '/items/{{id}}', { schema }),
      ],
    });
    for (const name of ['elsewhere', 'other_base', 'own', 'away', 'near', 'back']) await board.call(name);
    for (const id of ['@evil.example/', '//evil.example', '\\evil', '..', 'x\r\nHost: evil'])
      await board.call('item', { id });
    expect(other.seen.map(sent)).toEqual([
      { target: '/y' },
      { target: '/z' },
      { target: '/own', authorization: 'Bearer token-of-the-tool' },
      { target: '/x' },
    ]);
    expect(back.seen.map(sent)).toEqual([{ target: '/x' }]);
    const ours = { authorization: 'Bearer token-of-the-file', 'x-file': 'file' };
    expect(home.seen.map(sent)).toEqual([
      { target: '/away', ...ours },
      { target: '/near', ...ours },
      { target: '/me', ...ours },
      { target: '/back', ...ours },
      // A server that got no credentials chose this address.
      { target: '/me' },
      { target: '/items/%40evil.example%2F', ...ours },
      { target: '/items/%2F%2Fevil.example', ...ours },
      { target: '/items/%5Cevil', ...ours },
      { target: '/items/x%0D%0AHost%3A%20evil', ...ours },
    ]);
    expect(board.diagnostics.map(({ path, severity }) => `${severity} ${path.join('.')}`)).toEqual([
      'warning tools.0.requests.0.url',
      'warning tools.1.requests.0.url',
    ]);
  });

  it('is off where a variable is not set: for the tools that need it, and no others', async () => {
    const { origin, seen } = await startServer((_, response) => response.end('ok'));
    const board = await open(
      {
        http: { base_url: origin, headers: { 'X-Key': '${KEY}' }, auth: { type: 'bearer', token: '${TOKEN}' } },
        tools: [
          tool('needs_both', '/a'),
          tool('needs_key', '/b', { auth: { type: 'none' } }),
          tool('needs_token', '/c', { headers: { 'x-key': 'mine' } }),
          tool('needs_none', '/d', { headers: { 'x-key': 'mine' }, auth: { type: 'bearer', token: '${EMPTY}' } }),
          { name: 'other', type: 'cli', description: 'x', command: 'echo' },
        ],
      },
      { EMPTY: '' },
    );
    expect(
      board.unavailable.map(({ name, reason }) => `${name}: ${/variables? (.*?) (?:is|are)/.exec(reason)?.[1]}`),
    ).toEqual(['needs_both: KEY, TOKEN', 'needs_key: KEY', 'needs_token: TOKEN']);
    expect((await board.call('needs_none')).text).toContain('auth.token of its config is empty');
    expect(seen).toEqual([]);
    expect(board.diagnostics.map(({ message }) => message.split('. ')[0])).toEqual([
      'the variable KEY is not set, so 2 tools are off',
      'the variable TOKEN is not set, so 2 tools are off',
    ]);
  });

  it('refuses what a call could choose, and what cannot be used, once for a file', async () => {
    const tools = [tool('a', '/a'), tool('b', '/b')];
    const faults = async (http: object): Promise<string[]> => {
      const error: unknown = await open({ http, tools }).catch((thrown: unknown) => thrown);
      if (!(error instanceof ConfigError)) throw new Error('opened');
      return error.diagnostics.map(({ message }) => message);
    };
    const base_url = 'https://api.example.com';
    expect(await faults({ base_url, auth: { type: 'bearer', token: '{{token}}' } })).toEqual([
      expect.stringContaining('must not contain a placeholder, since no call may choose credentials'),
    ]);
    expect(await faults({ base_url: 'https://{{host}}/x' })).toEqual([
      expect.stringContaining(
        'must be an address such as https://api.example.com/v2, without placeholders and a query',
      ),
    ]);
    expect(await faults({ base_url, auth: { type: 'bearer', token: 'two\nlines' } })).toEqual([
      'http.auth of this file has a token with a line break or another character that a header cannot carry.',
    ]);
    const auth = { type: 'oauth', grant: 'device', client_id: 'x', token_url: 'https://id.example.com/token' };
    expect(await faults({ base_url, auth })).toEqual([
      'http.auth of this file needs device_url for grant: device, or an issuer that provides it.',
    ]);
    expect(await faults({ base_url, auth: { ...auth, token_url: 'id.example.com' } })).toEqual([
      'must be an address that begins with https://; got "id.example.com".',
    ]);
    expect(await faults({ base_url, auth: { type: 'basic', username: 'a-long-name:b' } })).toEqual([
      'http.auth of this file has a username with a colon, which ends the name.',
    ]);
    expect(await faults({})).toEqual(
      ['/a', '/b'].map(
        (url) =>
          `must be absolute, such as https://api.example.com/items/{{id}}, or stand after a base_url; got "${url}".`,
      ),
    );
  });
});
