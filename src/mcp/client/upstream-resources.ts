import type { Dispatcher } from 'undici';
import type { Ask } from '../../tool/calls/ask.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import type { ManifestCache } from './offers/manifest-cache.ts';
import { createOAuthHttp } from '../../platform/oauth/oauth-http.ts';
import { OAuthTokens } from './oauth/oauth-tokens.ts';
import { exchangesTokens, type ServerSettings } from './server-settings.ts';
import type { PackageHost } from './packages/package-installs.ts';
import type { UpstreamClock } from './upstream-timing.ts';

/** The board's services for one server, while the server runs. */
export interface UpstreamResources {
  readonly cache: ManifestCache;
  redact(text: string): string;
  /** Registers secrets of a login for redaction. */
  learn(source: string, secrets: readonly string[]): void;
  /** Returns the dispatcher for a URL of the config. */
  dispatcher(url: string): Promise<Dispatcher>;
  /** Returns the dispatcher for addresses that only a server named: it never reaches private ones. */
  publicDispatcher(): Promise<Dispatcher>;
  tokenStore(): Pick<SealedStore, 'space' | 'takeLease' | 'signal' | 'watch'>;
  readonly ask: Ask;
  readonly packages: PackageHost;
  readonly clock?: UpstreamClock;
  close(): Promise<void>;
}

/** The user who owns tokens. */
export interface TokenOwner {
  readonly user: string;
  readonly people: ConstructorParameters<typeof OAuthTokens>[0]['people'];
}

/** Creates the token source of a server over HTTP; `undefined` if the config sets an authorization. */
export function tokensFor(
  settings: ServerSettings,
  resources: UpstreamResources,
  owner?: TokenOwner,
): OAuthTokens | undefined {
  const { name, address } = settings;
  if (address.type === 'stdio' || address.oauth === undefined) return undefined;
  const { url, oauth } = address;
  const { identityProvider } = oauth;
  const named: [string, ...string[]] = [
    url,
    ...(identityProvider === undefined ? [] : [identityProvider.tokenEndpoint]),
  ];
  return new OAuthTokens({
    server: { name, url },
    settings: oauth,
    http: createOAuthHttp(named, (own) =>
      own === undefined ? resources.publicDispatcher() : resources.dispatcher(own),
    ),
    store: () => resources.tokenStore(),
    ask: resources.ask,
    user: owner?.user ?? '',
    people: owner?.people,
    keeps: !exchangesTokens(settings),
    learn: (secrets) => resources.learn(owner ? `token of ${name} for ${owner.user}` : `token of ${name}`, secrets),
  });
}
