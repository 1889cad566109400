// curl and gh: requests go where they may, and no value becomes a file.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPack } from './open-pack.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

/** A server that tells what it was sent; `/to?PLACE` redirects. */
async function startServer(): Promise<string> {
  const answer = async (request: IncomingMessage): Promise<string> =>
    JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body: await text(request) });
  const server = createServer((request, response) => {
    const place = /^\/to\?(.*)/.exec(request.url ?? '')?.[1];
    if (place !== undefined) response.writeHead(302, { location: decodeURIComponent(place) }).end();
    else if (request.url === '/gone') response.writeHead(404).end('gone');
    else void answer(request).then((told) => response.end(told));
  });
  await new Promise<void>((settle) => void server.listen(0, '127.0.0.1', settle));
  onTestFinished(() => void server.close());
  // The server listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the pack curl, with curl', needs('curl'), () => {
  it('gets, sends, measures and downloads', async () => {
    const { call, board, folder } = await openPack('curl');
    const url = await startServer();
    const sent = async (tool: string, args: Record<string, unknown>): Promise<unknown> =>
      JSON.parse(await call(tool, args));
    expect(await sent('curl_get', { url: `${url}/a`, query: { q: 'x & y' }, headers: ['X-One: 1'] })).toMatchObject({
      method: 'GET',
      url: '/a?q=x+%26+y',
      headers: { 'x-one': '1' },
    });
    expect(await sent('curl_get', { url: `${url}/a` })).toMatchObject({ method: 'GET', url: '/a' });
    expect(await sent('curl_send', { url, body: '{"a":1}', method: 'PUT' })).toMatchObject({
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await sent('curl_send', { url, body: '{}', headers: ['X-A: 1'] })).toMatchObject({
      headers: { 'content-type': 'application/json', 'x-a': '1' },
    });
    expect(await sent('curl_send', { url, body: 'hi', headers: ['Content-Type: text/plain'] })).toMatchObject({
      headers: { 'content-type': 'text/plain' },
      body: 'hi',
    });
    expect(await sent('curl_form', { url, fields: { a: '1 2' } })).toMatchObject({
      method: 'POST',
      body: expect.stringMatching(/^a=1(?:\+|%20)2$/),
    });
    expect(await sent('curl_delete', { url })).toMatchObject({ method: 'DELETE' });
    expect(await call('curl_head', { url })).toContain('200 OK');
    expect((await board.call('curl_check', { url })).data).toMatchObject({ status: 200, redirects: 0 });
    expect(await call('curl_get', { url: `${url}/gone` })).toMatch(/^execution_failed: gone[^]*answered with an error/);
    await call('curl_download', { url: `${url}/file`, file: 'got.json' });
    expect(readFileSync(join(folder, 'got.json'), 'utf8')).toContain('"url":"/file"');
  });

  it('reads no file: no other protocol, no redirect to one, no @, no settings', async () => {
    const { call, folder } = await openPack('curl', { CURL_HOME: '.' });
    const url = await startServer();
    const secret = join(folder, '../secret.txt');
    writeFileSync(join(folder, '../.curlrc'), `header = "X-From-Settings: 1"\n`);
    expect(await call('curl_get', { url })).not.toContain('x-from-settings');
    for (const address of [
      `file://${secret}`,
      'FILE:///etc/passwd',
      'gopher://x',
      '-K/etc/passwd',
      secret,
      'ftp://x/y',
    ]) {
      expect(await call('curl_get', { url: address })).toMatch(/^invalid_arguments/);
    }
    for (const place of [`file://${secret}`, 'gopher://127.0.0.1:1/', 'dict://127.0.0.1:1/x']) {
      const args = { url: `${url}/to?${encodeURIComponent(place)}`, follow: true };
      expect(await call('curl_get', args)).toMatch(/^execution_failed[^]*(?:not supported|disabled)/);
      expect(await call('curl_download', { ...args, file: 'stolen' })).toMatch(/^execution_failed/);
    }
    expect(existsSync(join(folder, 'stolen'))).toBe(false);
    expect(await call('curl_send', { url, body: `@${secret}` })).toContain(`"body":"@${secret}"`);
    for (const fields of [{ [`@${secret}`]: '' }, { [`a@${secret}`]: 'x' }, { a: `@${secret}` }, { a: `<${secret}` }]) {
      expect(await call('curl_form', { url, fields })).not.toContain('hunter2');
      expect(await call('curl_get', { url, query: fields })).not.toContain('hunter2');
    }
    for (const header of [`@${secret}`, `@${secret}: x`, '-K: x', 'A: b\r\nEvil: 1']) {
      expect(await call('curl_get', { url, headers: [header] })).toMatch(/^invalid_arguments/);
    }
    // Not several addresses.
    expect(await call('curl_get', { url: `${url}/{a,b}` })).toContain('"url":"/{a,b}"');
  });

  it('writes nowhere else, and over no file', async () => {
    const { call, folder, write } = await openPack('curl');
    const url = await startServer();
    write('mine.txt', 'mine');
    for (const file of ['../out', '/tmp/out', '-', '/dev/stdout']) {
      expect(await call('curl_download', { url, file })).toMatch(/^invalid_arguments/);
    }
    await call('curl_download', { url, file: 'mine.txt' });
    expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine');
  });
});

/** A server with a certificate of its own, on which a repository lies; and the file that vouches for it. */
async function startTrusted(folder: string): Promise<{ url: string; pem: string }> {
  const [pem, key, bare] = [join(folder, 'own.pem'), join(folder, 'own.key'), join(folder, 'bare.git')];
  const subject = '-subj /CN=localhost -addext subjectAltName=DNS:localhost'.split(' ');
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', pem];
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' });
  execFileSync('git', ['init', '-q', '--bare', bare]);
  execFileSync('git', ['update-server-info'], { cwd: bare });
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(pem) }, (request, response) => {
    const file = join(folder, (request.url ?? '').replace(/[?].*$/, ''));
    if (existsSync(file) && statSync(file).isFile()) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((settle) => void server.listen(0, 'localhost', settle));
  onTestFinished(() => void server.close());
  // The server listens on a port.
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, pem };
}

it(
  'commands trust what the variables of the board name, as they do in a terminal',
  needs('curl', 'openssl'),
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'pegboard-tls-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const { url, pem } = await startTrusted(home);
    const bare = await openPack('curl');
    expect(await bare.call('curl_get', { url: `${url}/own.pem` })).toContain('the certificate is not trusted');
    const curl = await openPack('curl', { CURL_CA_BUNDLE: pem });
    expect(await curl.call('curl_get', { url: `${url}/own.pem` })).toBe(readFileSync(pem, 'utf8'));

    const identity = { GIT_AUTHOR_NAME: 'Ada Author', GIT_AUTHOR_EMAIL: 'a@example.com' };
    const committer = { GIT_COMMITTER_NAME: 'Cy Committer', GIT_COMMITTER_EMAIL: 'c@example.com' };
    const git = await openPack('git', { GIT_SSL_CAINFO: pem, ...identity, ...committer });
    execFileSync('git', ['init', '-q'], { cwd: git.folder });
    execFileSync('git', ['remote', 'add', 'origin', `${url}/bare.git`], { cwd: git.folder });
    expect(await git.call('git_fetch')).toBe('(no output)');
    await git.call('git_add', { paths: ['packs'] });
    expect(await git.call('git_commit', { message: 'As whom' })).toContain('1 file changed');
    // A name is no secret, although AUTHOR begins as AUTH does.
    expect(await git.call('git_log')).toContain('\tAda Author\tAs whom');
  },
);

describe('the pack gh', () => {
  it.for([
    ['gh_api', { path: 'https://evil.example/x' }],
    ['gh_api', { path: '//evil.example/x' }],
    ['gh_api', { path: '--input=../secret.txt' }],
    ['gh_api', { path: '../secret.txt' }],
    ['gh_api', { path: 'user', method: 'DELETE' }],
    ['gh_api', { path: 'user', jq: 'env' }],
    ['gh_repo', { repo: 'evil.example/a/b' }],
    ['gh_repo', { repo: 'https://evil.example/a/b' }],
    ['gh_issues', { repo: 'evil.example/a/b' }],
    ['gh_issues', { jq: '$ENV' }],
    ['gh_pull_request_create', { head: '--web', title: 'x', body: 'y' }],
  ] as const)('refuses %s %j before gh starts', async ([tool, args]) => {
    const { call } = await openPack('gh', { GH_TOKEN: 'ghp_abcdefgh12345678' });
    expect(await call(tool, args)).toMatch(/^invalid_arguments/);
  });

  it('sends texts as they are, and parameters that name no file', async () => {
    const { board } = await openPack('gh');
    const argvOf = async (tool: string, args: Record<string, unknown>): Promise<unknown> =>
      (await board.dryRun(tool, args)).steps[0];
    expect(await argvOf('gh_issue_comment', { number: 1, body: '@../secret.txt' })).toMatchObject({
      argv: ['gh', 'issue', 'comment', '--body-file', '-', '1'],
      stdin: '@../secret.txt'.length,
    });
    // Of gh's two ways to write a field, the one that does not take @ for a file.
    expect(await argvOf('gh_api', { path: 'user', query: { a: '@../secret.txt' } })).toMatchObject({
      argv: ['gh', 'api', '--method', 'GET', '--raw-field', 'a=@../secret.txt', 'user'],
    });
  });

  it('gives gh only flags that it knows, and says how to log in', needs('gh'), async () => {
    const { board } = await openPack('gh');
    for (const { metadata } of board.registry.getAll().filter((tool) => tool.metadata.source === 'gh')) {
      const { text: told } = await board.call(metadata.name, Object(metadata.examples?.[0]?.input));
      expect(told).toContain('[exit code 4: gh is not logged in. Run: gh auth login, or set GH_TOKEN]');
    }
  });
});
