// A server that wants a login, and its authorization server, both on this machine.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The state of the server that a test may read and change. */
export interface GuardedServer {
  readonly url: string;
  /** The kinds of grants that tokens were given for. */
  readonly grants: string[];
  /** Access tokens that are good now; clearing them makes clients renew theirs. */
  readonly valid: Set<string>;
  /** The account that each token is for: browsers and tokens name it. */
  readonly accounts: Map<string, string>;
  /** Every secret that was given out. */
  readonly secrets: Set<string>;
  /** The challenge that refusals carry. */
  challenge: string;
  /** Names this authorization server instead of itself. */
  issuer: string | undefined;
  /** Sends browsers back with this error instead of a code. */
  refuseWith: string | undefined;
  close(): void;
}

/**
 * Starts both on one address. The tool `ping` says pong; `whoami` says whose token it saw; `leak` says all that it was sent, as careless
 * servers do. A browser says its account in the header `x-account`.
 */
export async function startGuardedServer(): Promise<GuardedServer> {
  const valid = new Set<string>();
  const secrets = new Set<string>();
  const grants: string[] = [];
  const accounts = new Map<string, string>();
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string; readonly account: string }>();
  let url = '';
  const fresh = (name: string): string => {
    const secret = `${name}-${randomUUID()}`;
    secrets.add(secret);
    return secret;
  };
  const authorize = (query: URLSearchParams, account: string, response: ServerResponse): void => {
    const redirect = query.get('redirect_uri') ?? '';
    const back = new URL(redirect);
    back.searchParams.set('state', query.get('state') ?? '');
    if (guarded.refuseWith === undefined) {
      const code = fresh('code');
      codes.set(code, { challenge: query.get('code_challenge') ?? '', redirect, account });
      back.searchParams.set('code', code);
    } else back.searchParams.set('error', guarded.refuseWith);
    response.writeHead(302, { location: back.href }).end();
  };
  const giveToken = (form: URLSearchParams): Record<string, string> | undefined => {
    const grant = form.get('grant_type') ?? '';
    let account = accounts.get(form.get('refresh_token') ?? '') ?? '';
    if (grant === 'authorization_code') {
      const code = codes.get(form.get('code') ?? '');
      const hash = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (code?.challenge !== hash || code.redirect !== form.get('redirect_uri')) return undefined;
      ({ account } = code);
      codes.delete(form.get('code') ?? '');
    } else if (form.get('requested_token_type') === ID_JAG) {
      // As the identity provider of a company: it vouches for the user.
      return { access_token: form.get('subject_token') ?? '', issued_token_type: ID_JAG, token_type: 'N_A' };
    } else if (grant === EXCHANGE) account = subjectOf(form.get('subject_token') ?? '');
    else if (grant.endsWith(':jwt-bearer')) account = subjectOf(form.get('assertion') ?? '');
    else if (!secrets.has(form.get('refresh_token') ?? '')) return undefined;
    grants.push(grant);
    const access = fresh('access');
    const refresh = fresh('refresh');
    valid.add(access);
    accounts.set(access, account).set(refresh, account);
    return { access_token: access, token_type: 'Bearer', refresh_token: refresh };
  };
  const answer = (request: IncomingMessage, body: string): { status: number; value: unknown; headers?: object } => {
    const path = request.url ?? '';
    if (path === '/.well-known/oauth-protected-resource/mcp')
      return { status: 200, value: { resource: `${url}/mcp`, authorization_servers: [guarded.issuer ?? url] } };
    if (path === '/.well-known/oauth-authorization-server') return { status: 200, value: describeIssuer(url) };
    if (path === '/register') return { status: 201, value: { client_id: 'made-here' } };
    if (path === '/token') {
      const token = giveToken(new URLSearchParams(body));
      return token === undefined ? { status: 400, value: { error: 'invalid_grant' } } : { status: 200, value: token };
    }
    if (path !== '/mcp' || request.method !== 'POST') return { status: 404, value: {} };
    if (!valid.has(request.headers.authorization?.replace('Bearer ', '') ?? ''))
      return { status: 401, value: {}, headers: { 'www-authenticate': guarded.challenge } };
    const { id, method, params } = JSON.parse(body);
    const account = accounts.get(request.headers.authorization?.replace('Bearer ', '') ?? '') ?? '';
    const result = answerCall(method, params?.name, { headers: JSON.stringify(request.headers), account });
    if (id === undefined) return { status: 202, value: {} };
    return result === undefined ? { status: 404, value: {} } : { status: 200, value: { jsonrpc: '2.0', id, result } };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const target = new URL(request.url ?? '/', 'http://127.0.0.1');
      if (target.pathname === '/authorize')
        return authorize(target.searchParams, String(request.headers['x-account'] ?? ''), response);
      const { status, value, headers } = answer(request, Buffer.concat(chunks).toString('utf8'));
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(value));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this kind.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const guarded: GuardedServer = {
    url,
    grants,
    valid,
    accounts,
    secrets,
    challenge: 'Bearer',
    issuer: undefined,
    refuseWith: undefined,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return guarded;
}

function describeIssuer(url: string): object {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
  };
}

const SAID: Readonly<Record<string, (headers: string, account: string) => string>> = {
  leak: (headers) => `I was sent ${headers}`,
  whoami: (_headers, account) => account,
};
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Returns the subject of a signed text; the board checks the signature. */
function subjectOf(jwt: string): string {
  return String(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8')).sub);
}

function answerCall(
  method: string,
  tool: string,
  { headers, account }: { readonly headers: string; readonly account: string },
): object | undefined {
  const tools = ['ping', 'leak', 'whoami'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: SAID[tool]?.(headers, account) ?? 'pong' }] };
    default:
      return undefined;
  }
}
