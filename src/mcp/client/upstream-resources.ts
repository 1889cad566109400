import type { Dispatcher } from 'undici';
import type { Ask } from '../../tool/calls/ask.ts';
import type { SealedStore } from '../../platform/store/sealed-space.ts';
import type { ManifestCache } from './offers/manifest-cache.ts';
import { createOAuthHttp } from '../../platform/oauth/oauth-http.ts';
import { OAuthTokens } from './oauth/oauth-tokens.ts';
import { exchangesTokens, type ServerSettings } from './server-settings.ts';
import type { UpstreamClock } from './upstream-timing.ts';

/** The parts of a board that one of its servers uses for as long as the server runs. */
export interface UpstreamResources {
  readonly cache: ManifestCache;
  /** Takes the board's secrets out of a text. */
  redact(text: string): string;
  /** Has secrets taken out of texts from now on that a server's login gave. */
  learn(source: string, secrets: readonly string[]): void;
  /** Returns the dispatcher for requests to a URL of the config. */
  dispatcher(url: string): Promise<Dispatcher>;
  /** Returns the dispatcher for addresses that only a server named: it never reaches private ones. */
  publicDispatcher(): Promise<Dispatcher>;
  /** Returns the store of tokens. */
  tokenStore(): Pick<SealedStore, 'space' | 'takeLease' | 'signal' | 'watch'>;
  /** Asks people, and models that clients lend. */
  readonly ask: Ask;
  readonly clock?: UpstreamClock;
  /** Closes what was opened for this server. */
  close(): Promise<void>;
}

/** The owner of tokens, where each user has some. */
export interface TokenOwner {
  readonly user: string;
  readonly people: ConstructorParameters<typeof OAuthTokens>[0]['people'];
}

/** The tokens of a server that may want a login; none for one that is started here, or is sent an authorization of the config. */
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
