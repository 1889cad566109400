// Servers that are shown who calls without a login: by what another issuer says, and by a key that tokens are bound to.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { type Board, openBoard } from '../src/index.ts';

interface Issuer {
  readonly url: string;
  /** The parameters of each token request. */
  readonly asked: URLSearchParams[];
  readonly valid: Set<string>;
  /** The key and the number of each proof that came with a call. */
  readonly proofs: { readonly key: string; readonly number: unknown }[];
}

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pegboard-identity-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** A server and its authorization server on one address; every assertion but "refused" is good. */
async function startIssuer(scheme: 'Bearer' | 'DPoP' = 'Bearer'): Promise<Issuer> {
  const issuer = { url: '', asked: [] as URLSearchParams[], valid: new Set<string>(), proofs: [] as Issuer['proofs'] };
  const describe = (): object => ({
    issuer: issuer.url,
    token_endpoint: `${issuer.url}/token`,
    ...(scheme === 'DPoP' ? { dpop_signing_alg_values_supported: ['ES256'] } : {}),
  });
  const giveToken = (form: URLSearchParams): object | undefined => {
    issuer.asked.push(form);
    if (form.get('assertion')?.includes('refused') === true) return undefined;
    const access = `access-${issuer.asked.length}`;
    issuer.valid.add(access);
    return { access_token: access, token_type: scheme };
  };
  const isLetIn = async ({ headers, method }: IncomingMessage): Promise<boolean> => {
    const [given, access = ''] = headers.authorization?.split(' ') ?? [];
    if (given !== scheme || !issuer.valid.has(access)) return false;
    if (scheme === 'Bearer') return true;
    const proof = String(headers['dpop']);
    const { payload } = await jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt' });
    const key = await calculateJwkThumbprint(decodeProtectedHeader(proof).jwk ?? {});
    const isNew = issuer.proofs.every(({ number }) => number !== payload.jti);
    issuer.proofs.push({ key, number: payload.jti });
    const ath = createHash('sha256').update(access).digest('base64url');
    return isNew && payload['htm'] === method && payload['htu'] === `${issuer.url}/mcp` && payload['ath'] === ath;
  };
  const answer = async (request: IncomingMessage, body: string): Promise<readonly [number, object, object?]> => {
    if (request.url === '/.well-known/oauth-protected-resource/mcp')
      return [200, { resource: `${issuer.url}/mcp`, authorization_servers: [issuer.url] }];
    if (request.url === '/.well-known/oauth-authorization-server') return [200, describe()];
    if (request.url === '/token') {
      const token = giveToken(new URLSearchParams(body));
      return token === undefined ? [400, { error: 'invalid_grant' }] : [200, token];
    }
    if (request.url !== '/mcp' || request.method !== 'POST') return [404, {}];
    if (!(await isLetIn(request))) return [401, {}, { 'www-authenticate': scheme }];
    const { id, method } = JSON.parse(body);
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      },
      'tools/list': { tools: [{ name: 'leak', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: issuer.asked.map(String).join() }] },
    };
    return id === undefined ? [202, {}] : [200, { jsonrpc: '2.0', id, result: results[method] }];
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void answer(request, Buffer.concat(chunks).toString('utf8')).then(([status, value, headers]) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(value));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  // A server that listens on a port has an address of this kind.
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return issuer;
}

async function open(issuer: Issuer, oauth: object): Promise<Board> {
  const file = join(folder, 'pegboard.yaml');
  const server = { url: `${issuer.url}/mcp`, protocol: '2025-11-25', prefix: '', oauth };
  writeFileSync(file, JSON.stringify({ mcpServers: { guarded: server } }));
  const board = await openBoard(file);
  onTestFinished(() => board.close());
  await board.ready();
  return board;
}

/** A text as an issuer would sign it for this audience. */
function assertionFor(audience: string, name: string): string {
  const claims = Buffer.from(JSON.stringify({ aud: audience })).toString('base64url');
  return `${name}.${claims}.signature`;
}

const told = (board: Board): string => board.diagnostics.map(({ message }) => message).join('\n');

it('shows what a file says, as it is when a token is wanted, and shows it to no one else', async () => {
  const issuer = await startIssuer();
  const file = join(folder, 'workload');
  writeFileSync(file, assertionFor(issuer.url, 'first'));
  const board = await open(issuer, { grant: 'jwt_bearer', client_id: 'desk', assertion_file: 'workload' });
  expect((await board.call('leak')).ok).toBe(true);
  writeFileSync(file, assertionFor(issuer.url, 'second'));
  issuer.valid.clear();
  const { text } = await board.call('leak');
  expect(issuer.asked.map((form) => form.get('assertion')?.split('.')[0])).toEqual(['first', 'second']);
  expect(issuer.asked[0]?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
  expect(text).not.toContain(assertionFor(issuer.url, 'second'));
});

it('does not send again what was refused, until it is something else', async () => {
  const issuer = await startIssuer();
  const file = join(folder, 'workload');
  const oauth = { grant: 'jwt_bearer', client_id: 'desk', assertion_file: 'workload' };
  writeFileSync(file, assertionFor(issuer.url, 'good'));
  const board = await open(issuer, oauth);
  expect((await board.call('leak')).ok).toBe(true);
  writeFileSync(file, assertionFor(issuer.url, 'refused'));
  issuer.valid.clear();
  for (const _ of [1, 2]) expect((await board.call('leak')).text).toContain('gave no token (invalid_grant)');
  expect(issuer.asked).toHaveLength(2);
  writeFileSync(file, assertionFor(issuer.url, 'better'));
  expect((await board.call('leak')).ok).toBe(true);
});

it('sends nothing to an authorization server for which it is not made out', async () => {
  const issuer = await startIssuer();
  const oauth = { grant: 'jwt_bearer', client_id: 'desk', assertion: assertionFor('https://other.example', 'x') };
  const board = await open(issuer, oauth);
  expect(told(board)).toContain(`oauth.assertion is not made out to ${issuer.url}. Set oauth.issuer`);
  expect(issuer.asked).toEqual([]);
  const named = await open(issuer, { ...oauth, issuer: issuer.url });
  expect((await named.call('leak')).ok).toBe(true);
});

it('says which settings do not go together', async () => {
  const issuer = await startIssuer();
  await expect(open(issuer, { grant: 'jwt_bearer', client_id: 'desk' })).rejects.toThrow(
    'grant: jwt_bearer goes with one of assertion, assertion_file and identity_provider.',
  );
});

it('proves with each request that a token is its own, after a restart too', async () => {
  const issuer = await startIssuer('DPoP');
  const oauth = { grant: 'client_credentials', client_id: 'desk', client_secret: 'a-secret-of-the-desk' };
  const first = await open(issuer, oauth);
  expect((await first.call('leak')).ok).toBe(true);
  await first.close();
  const later = await open(issuer, oauth);
  expect((await Promise.all([later.call('leak'), later.call('leak')])).every(({ ok }) => ok)).toBe(true);
  expect(issuer.asked).toHaveLength(1);
  expect(new Set(issuer.proofs.map(({ key }) => key)).size).toBe(1);
});
