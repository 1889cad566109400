// The official client as the conformance suite drives it, used as its documentation says. node official-conformance.ts URL
import {
  Client,
  ClientCredentialsProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  type Tool,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

const url = new URL(process.argv.at(-1) ?? '');
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Readonly<Record<string, string>> & {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
};
const isModern = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28';
const REDIRECT = 'http://localhost:3000/callback';
const MAX_LOGINS = 1;
/** Servers of the suite that do not introduce themselves: the host says what they speak, as a board's config does. */
const SILENT = /^(http-|sep-2322)/;

let back = new URLSearchParams();
let client: StoredOAuthClientInformation | undefined =
  context['client_id'] === undefined ? undefined : { client_id: context['client_id'], ...secret() };
let tokens: StoredOAuthTokens | undefined;
let verifier = '';

function secret(): { readonly client_secret?: string } {
  return context['client_secret'] === undefined ? {} : { client_secret: context['client_secret'] };
}

const person: OAuthClientProvider = {
  redirectUrl: REDIRECT,
  clientMetadata: { client_name: 'bench', redirect_uris: [REDIRECT] },
  ...(scenario === 'auth/basic-cimd'
    ? { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }
    : {}),
  clientInformation: () => client,
  saveClientInformation: (information) => void (client = information),
  tokens: () => tokens,
  saveTokens: (given) => void (tokens = given),
  saveCodeVerifier: (given) => void (verifier = given),
  codeVerifier: () => verifier,
  invalidateCredentials(scope) {
    if (scope === 'all' || scope === 'client') client = undefined;
    if (scope === 'all' || scope === 'tokens') tokens = undefined;
  },
  // The suite's authorization servers ask no person: they send the browser back at once.
  async redirectToAuthorization(address) {
    const { headers } = await fetch(address, { redirect: 'manual' });
    back = new URL(headers.get('location') ?? '', address).searchParams;
  },
};

function chooseProvider(): OAuthClientProvider | undefined {
  if (!scenario.startsWith('auth/')) return undefined;
  const { client_id: clientId = '', client_secret: clientSecret = '', private_key_pem: privateKey = '' } = context;
  if (scenario === 'auth/client-credentials-basic') return new ClientCredentialsProvider({ clientId, clientSecret });
  if (scenario === 'auth/client-credentials-jwt')
    return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm: context['signing_algorithm'] ?? 'ES256' });
  return person;
}

const authProvider = chooseProvider();
let transport = createTransport();
let session = createClient();

function createTransport(): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(url, authProvider === undefined ? {} : { authProvider });
}

function createClient(): Client {
  const made = new Client(
    { name: 'bench', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      versionNegotiation: { mode: isModern ? 'auto' : 'legacy' },
    },
  );
  made.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }));
  return made;
}

async function connect(): Promise<void> {
  transport = createTransport();
  session = createClient();
  const discover = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, resultType: 'complete' as const };
  const known = { ttlMs: 0, cacheScope: 'private' as const, serverInfo: { name: 'suite', version: '1' } };
  const prior = { prior: { kind: 'modern' as const, discover: { ...discover, ...known } } };
  await session.connect(transport, SILENT.test(scenario) ? prior : {});
}

/** Finishes the login that the transport began and tries again, as the documentation asks of a host. */
async function loggedIn<T>(work: () => Promise<T>): Promise<T> {
  for (let logins = 0; ; logins++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || logins === MAX_LOGINS) throw error;
      await transport.finishAuth(back);
    }
  }
}

function plan(
  tools: readonly Tool[],
): readonly { readonly name: string; readonly arguments: Record<string, unknown> }[] {
  if (context.toolCalls !== undefined) return context.toolCalls;
  if (scenario === 'json-schema-ref-no-deref') return [];
  if (scenario === 'json-schema-2020-12-preservation') {
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
    return [{ name: 'json_schema_echo', arguments: { schema } }];
  }
  return tools.map(({ name }) => ({ name, arguments: scenario === 'tools_call' ? { a: 2, b: 3 } : {} }));
}

await loggedIn(connect);
const { tools } = await loggedIn(() => session.listTools());
for (const call of plan(tools)) {
  // A call that the client refuses by itself is no failure of the suite's.
  await loggedIn(() => session.callTool(call)).catch((error: unknown) => console.error(call.name, String(error)));
}
await session.close();
process.exit(0);
