import { createAsk } from '../../src/board/ask/create-ask.ts';
import { PackageInstalls } from '../../src/mcp/client/packages/package-installs.ts';
import { SharedServer } from '../../src/mcp/client/shared-server.ts';
import { createEgressPolicy } from '../../src/platform/http/egress.ts';
import { createHttpClient } from '../../src/platform/http/http-client.ts';
import type { StoreSpace } from '../../src/platform/store/board-store.ts';
import { type Caller, FIRST_TOKEN, PATIENCE, type Target } from './caller.ts';

/** Connects our client, with the guard of addresses that every board has. */
export async function connect({ url, era, maxFrame }: Target): Promise<Caller> {
  const client = createHttpClient({ egress: createEgressPolicy({ allow: [new URL(url).host] }) });
  const oauth = {
    clientId: undefined,
    clientSecret: undefined,
    clientMetadataUrl: undefined,
    privateKey: undefined,
    algorithm: 'ES256',
    scope: undefined,
    grant: 'authorization_code',
    issuer: undefined,
  } as const;
  const space = createSpace(url);
  const server = new SharedServer(
    {
      name: 'raw',
      address: { type: 'http', url, headers: {}, oauth },
      startTimeout: PATIENCE,
      idle: Infinity,
      maxFrame,
      era,
      share: 'board',
      maxInstances: 1,
      roots: false,
    },
    {
      cache: {
        read: () => undefined,
        write: () => {},
        clean: (manifest) => manifest,
        readSeen: () => undefined,
        writeSeen: () => {},
        readFailure: () => undefined,
        writeFailure: () => {},
      },
      redact: (text) => text,
      packages: { data: '', installs: new PackageInstalls(), lease: () => Promise.resolve(undefined) },
      learn: () => {},
      dispatcher: () => client.connect(),
      publicDispatcher: () => client.connect(),
      tokenStore: () => ({
        space: () => space,
        takeLease: async (name) => ({ ...lease, name }),
        watch: () => () => {},
        signal: async () => {},
      }),
      ask: createAsk({}),
      close: () => client.close(),
    },
  );
  const offer = await server.ask();
  if (offer.type === 'failed') throw new Error(offer.message);
  return {
    async call(args, { who } = {}) {
      const listener =
        who === undefined ? {} : { elicit: async () => ({ action: 'accept', content: { who } }) as const };
      const signal = who === undefined ? never : AbortSignal.timeout(PATIENCE);
      return (await server.call({ ...listener, tool: 'add', args, client: user, signal, untimed: (work) => work }))
        .text;
    },
    close: () => server.close(),
  };
}

const user = { user: '', session: '' };
const never = new AbortController().signal;

/** No one else wants it. */
const lease = { token: 1, renew: async () => true, release: async () => {} };

/** A store with the login of an earlier run in it. */
function createSpace(url: string): StoreSpace {
  const { origin: issuer } = new URL(url);
  const records = new Map<string, unknown>([
    [`token raw ${url}`, { access: FIRST_TOKEN, refresh: 'refresh', issuer }],
    [`client ${issuer}`, { id: 'bench', method: 'none' }],
  ]);
  return {
    get: async (key) => records.get(key),
    set: async (key, value) => void records.set(key, value),
    add: async (key, value) => !records.has(key) && records.set(key, value).has(key),
    delete: async (key) => records.delete(key),
    entries: async () => [],
    keys: async () => [],
    count: async () => ({ records: records.size, bytes: 0 }),
    clear: async () => records.clear(),
  };
}
