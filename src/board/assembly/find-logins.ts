import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import type { ApiClient } from '../../platform/oauth/api-tokens.ts';
import type { OAuthLogin } from '../../platform/oauth/oauth-settings.ts';

/** An API of the config that a person logs in to. */
export interface BoardLogin {
  readonly name: string;
  /** With a code on any device, or in a browser on this machine. */
  readonly grant: 'device' | 'authorization_code';
  /** The names of the tools that need it. */
  readonly tools: readonly string[];
  /** True when the tools work as they are: someone logged in, and the login is still valid as far as known here. */
  readonly isReady: boolean;
  /** Lets a person log in. Rejects when that fails. */
  login(person: OAuthLogin, signal: AbortSignal): Promise<void>;
  /** Forgets the token that is kept; whether there was one. The authorization server is not told. */
  forget(): Promise<boolean>;
}

/** The logins of entries, each once. */
export async function findLogins(entries: Iterable<ToolEntry>, host: KindHost): Promise<BoardLogin[]> {
  const clients = new Map<string, { readonly client: ApiClient; readonly tools: Set<string> }>();
  for (const entry of entries) {
    for (const client of entry.kind.logins?.(entry) ?? []) {
      const key = JSON.stringify(client);
      const known = clients.get(key) ?? { client, tools: new Set() };
      clients.set(key, known);
      known.tools.add(entry.metadata.name);
    }
  }
  return Promise.all(
    [...clients.values()].map(async ({ client, tools }) => {
      const tokens = await host.apiTokens(client);
      return {
        name: client.name,
        grant: client.grant === 'device' ? 'device' : 'authorization_code',
        tools: [...tools],
        isReady: await tokens.isReady(),
        login: (person, signal) => tokens.login(person, signal),
        forget: () => tokens.forget(),
      } satisfies BoardLogin;
    }),
  );
}
