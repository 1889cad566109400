import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { fetch as guardedFetch } from 'undici';
import { createEgressPolicy } from '../../src/platform/http/egress.ts';
import { createHttpClient } from '../../src/platform/http/http-client.ts';
import { type Caller, FIRST_TOKEN, PATIENCE, type Target } from './caller.ts';

/** Connects the official client as it comes: no guard of addresses. */
export async function connect(target: Target): Promise<Caller> {
  return connectWith(target, undefined, async () => {});
}

/** Connects the official client over the board's own guarded connections, as a board would have to. */
export async function connectGuarded(target: Target): Promise<Caller> {
  const client = createHttpClient({ egress: createEgressPolicy({ allow: [new URL(target.url).host] }) });
  const dispatcher = await client.connect();
  // Node's own types of `fetch` and undici's differ in name only.
  const send = (async (url: string | URL, init?: RequestInit) =>
    guardedFetch(url, { ...(init as object), dispatcher })) as unknown as typeof fetch;
  return connectWith(target, send, () => client.close());
}

async function connectWith(
  { url, era }: Target,
  send: typeof fetch | undefined,
  release: () => Promise<void>,
): Promise<Caller> {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  );
  let last = '';
  // The handler is told the question and not the call, so the latest call's caller is the best guess.
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { who: last } }));
  const options = {
    // Asked before every request, so only where a login is needed.
    ...(url.endsWith('/login') ? { authProvider: createProvider(url) } : {}),
    ...(send === undefined ? {} : { fetch: send }),
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), options);
  await client.connect(transport, { timeout: PATIENCE });
  await client.listTools();
  return {
    async call(args, { who = '' } = {}) {
      last = who;
      const { content, isError } = await client.callTool({ name: 'add', arguments: args }, { timeout: PATIENCE });
      const [first] = content;
      if (isError === true || first?.type !== 'text') throw new Error('The call failed.');
      return first.text;
    },
    async close() {
      await client.close();
      await release();
    },
  };
}

/** A provider with the login of an earlier run. */
function createProvider(url: string): OAuthClientProvider {
  const { origin: issuer } = new URL(url);
  let tokens: StoredOAuthTokens = { access_token: FIRST_TOKEN, token_type: 'Bearer', refresh_token: 'refresh', issuer };
  return {
    redirectUrl: 'http://localhost/callback',
    clientMetadata: { redirect_uris: ['http://localhost/callback'] },
    clientInformation: () => ({ client_id: 'bench', issuer }),
    tokens: () => tokens,
    saveTokens: (given) => void (tokens = given),
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => '',
  };
}
