import type { BoardStore } from '../../../platform/store/board-store.ts';
import type { JsonObject, TransportFailure } from '../transports/transport.ts';
import { type Authorization, type Challenge, discoverAuthorization } from './discover-authorization.ts';
import { DpopKey } from '../../../platform/oauth/dpop-key.ts';
import { exchangeToken, findAssertion } from './find-assertion.ts';
import {
  type AskedToken,
  keepToken,
  type KeptToken,
  readToken,
  TOKEN_SPACE,
  tokenKey,
  toToken,
  words,
} from './kept-token.ts';
import { redirectUriOf, type UserLogins } from './user-logins.ts';
import type { Ask } from '../../../tool/calls/ask.ts';
import type { CallClient } from '../../../tool/calls/call-owner.ts';
import { ToolContext } from '../../../tool/tool-context.ts';
import { logInBrowser } from '../../../platform/oauth/log-in-browser.ts';
import { findIdentity, type OAuthIdentity, requestToken } from '../../../platform/oauth/oauth-client.ts';
import type { OAuthHttp } from '../../../platform/oauth/oauth-http.ts';
import { OAuthFault, type OAuthSettings } from '../../../platform/oauth/oauth-settings.ts';
import { takeTurn } from '../../../platform/oauth/take-turn.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

/** The user has to log in on a page of the board. */
class LoginWanted extends OAuthFault {
  readonly url: string;

  constructor(message: string, url: string) {
    super(message);
    this.url = url;
  }
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Milliseconds for which a refused assertion is not sent again. */
const REFUSED_FOR = 60_000;

export type Renewal =
  | { readonly type: 'retry' }
  /** The server does not name the issuer of its tokens. */
  | { readonly type: 'unknown' }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

interface OAuthTokensOptions {
  readonly server: { readonly name: string; readonly url: string };
  readonly settings: OAuthSettings;
  readonly http: OAuthHttp;
  store(): Pick<BoardStore, 'space' | 'takeLease'>;
  /** Asks the person who logs the board in. */
  readonly ask: Ask;
  /** The owner of the token. Default: the board's own user. */
  readonly user?: string;
  /** The board's login pages and the client of the current call, if each user has a token. */
  readonly people?: { readonly logins: UserLogins; client(): CallClient } | undefined;
  /** True when tokens are stored between runs. Default: true. */
  readonly keeps?: boolean;
  /** Registers secrets for redaction before they are used. */
  learn(secrets: readonly string[]): void;
}

/** The token of one server: stored between runs, renewed when it is refused. */
export class OAuthTokens {
  readonly #options: OAuthTokensOptions;
  #token: KeptToken | undefined;
  #renewing: Promise<Renewal> | undefined;
  #clientSecret: string | undefined;
  /** The last assertion. A refused one is not sent again until `until`. */
  #assertion: { readonly text: string; refused?: { readonly fault: OAuthFault; readonly until: number } } | undefined;

  constructor(options: OAuthTokensOptions) {
    this.#options = options;
  }

  get access(): string | undefined {
    return this.#token?.access;
  }

  async authorize(method: string, url: string): Promise<Record<string, string>> {
    const { access, key } = this.#token ?? {};
    if (access === undefined) return {};
    if (key === undefined) return { authorization: `Bearer ${access}` };
    return { authorization: `DPoP ${access}`, dpop: await key.prove({ method, url, access }) };
  }

  /** Stores the nonce that the server requires in the next proofs. */
  noteNonce(url: string, nonce: string | readonly string[] | undefined): void {
    this.#token?.key?.noteNonce(url, nonce);
  }

  /** Gets a new token after one was refused. Never rejects; runs one renewal at a time. */
  async renew(status: number, challenge: Challenge, refused: string | undefined): Promise<Renewal> {
    if (this.#renewing !== undefined) await this.#renewing;
    if (this.#token !== undefined && this.#token.access !== refused) return { type: 'retry' };
    this.#renewing ??= this.#renew(status, challenge, refused)
      .catch((error: unknown): Renewal => {
        const message = messageOf(error);
        const loginUrl = error instanceof LoginWanted ? error.url : undefined;
        return { type: 'failed', failure: { kind: 'unauthorized', status, message, loginUrl } };
      })
      .finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew(status: number, challenge: Challenge, refused: string | undefined): Promise<Renewal> {
    const { http, server, settings, ask } = this.#options;
    const store = this.#options.store().space(TOKEN_SPACE);
    const kept = readToken(await store.get(this.#key));
    // Another run or process may have stored a newer token.
    if (kept !== undefined && kept.access !== refused) return this.#use(kept);
    const from = await discoverAuthorization(http, server.url, challenge);
    if (from === undefined) return { type: 'unknown' };
    const scope = chooseScope(from, { challenge, settings, kept: status === 403 ? kept : undefined });
    if (status === 403 && kept?.scope !== undefined && isWithin(scope, kept.scope))
      throw new OAuthFault(`it refuses a token that was given for all it asks for (${kept.scope})`);
    const find = async (redirectUri: string | undefined): Promise<OAuthIdentity> => {
      const identity = await findIdentity(from, { http, store, settings, redirectUri });
      this.#clientSecret = identity.secret;
      this.#learn();
      return identity;
    };
    const key = from.givesDpop && (challenge.wantsDpop || from.needsDpop) ? (kept?.key ?? new DpopKey()) : undefined;
    const request = { http, settings, key };
    if (settings.grant === 'client_credentials') {
      const fields = { grant_type: 'client_credentials', scope };
      return this.#keep(await requestToken(from, await find(undefined), { ...request, fields }), { from, scope, key });
    }
    const subject = this.#options.people?.client().subjectToken;
    if (settings.grant === 'token_exchange') {
      const fields = { ...exchangeToken(subject), scope };
      return this.#keep(await requestToken(from, await find(undefined), { ...request, fields }), { from, scope, key });
    }
    if (settings.grant === 'jwt_bearer') {
      const identity = await find(undefined);
      const assertion = await findAssertion(from, { http, settings, scope, subject });
      const fields = { grant_type: JWT_BEARER, assertion, scope };
      const answer = await this.#assert(assertion, () => requestToken(from, identity, { ...request, fields }));
      return this.#keep(answer, { from, scope, key });
    }
    if (status === 401 && kept?.refresh !== undefined && kept.issuer === from.issuer) {
      const fields = { grant_type: 'refresh_token', refresh_token: kept.refresh };
      const refresh = async (): Promise<Renewal | undefined> => {
        const renewed = await Promise.resolve(kept.client ?? find(undefined))
          .then((identity) => requestToken(from, identity, { ...request, fields, key: kept.key }))
          .catch(() => undefined);
        const answer = { refresh_token: kept.refresh, ...renewed };
        return (
          renewed &&
          this.#keep(answer, {
            from,
            scope: kept.scope ?? scope,
            key: kept.key,
            client: kept.client,
          })
        );
      };
      const findNewer = async (): Promise<Renewal | undefined> => {
        const newer = readToken(await store.get(this.#key));
        return newer === undefined || newer.access === refused ? undefined : this.#use(newer);
      };
      const turn = { store: this.#options.store(), find: findNewer, work: refresh };
      const renewed = await takeTurn<Renewal | undefined>(this.#key, turn);
      if (renewed !== undefined) return renewed;
    }
    const { redirectUri } = ask;
    if (redirectUri === undefined) await this.#openPage(from, { scope, key });
    if (redirectUri === undefined)
      throw new OAuthFault(
        `it needs ${status === 403 ? 'a login with more rights' : 'a login'}. Run: pegboard mcp login ${server.name}`,
      );
    const identity = await find(redirectUri);
    const authorize = async (url: string): Promise<string> =>
      (await ask({ kind: 'login', url }, new ToolContext())).address ?? '';
    const fields = await logInBrowser(from, identity, { login: { redirectUri, authorize }, scope });
    return this.#keep(await requestToken(from, identity, { ...request, fields }), { from, scope, key });
  }

  /** Opens a login page of the board for the calling user and throws its address; returns if there are no pages. */
  async #openPage(
    from: Authorization,
    { scope, key }: { readonly scope: string | undefined; readonly key: DpopKey | undefined },
  ): Promise<void> {
    const { people, user = '', http, settings, server } = this.#options;
    if (people === undefined) return;
    const { loginPages: pages } = people.client();
    if (pages === undefined) {
      if (user === '') return;
      throw new OAuthFault(
        'it wants your login, and this board has no page for that. Its operator sets serve.public_url',
      );
    }
    const redirectUri = redirectUriOf(pages);
    const store = this.#options.store().space(TOKEN_SPACE);
    const name = `client ${from.issuer} ${redirectUri}`;
    const client = await findIdentity(from, { http, store, settings, redirectUri, key: name });
    this.#clientSecret = client.secret;
    this.#learn();
    const url = await people.logins.open({ user, pages, from, client, scope, key });
    throw new LoginWanted(
      `it wants your login. Open this address in a browser, log in at ${server.name}, then call again: ${url}`,
      url,
    );
  }

  /** Sends an assertion instead of a login. A refused one is not sent again for a while. */
  async #assert(text: string, request: () => Promise<JsonObject>): Promise<JsonObject> {
    const { refused } = this.#assertion?.text === text ? this.#assertion : {};
    if (refused !== undefined && Date.now() < refused.until) throw refused.fault;
    this.#assertion = { text };
    this.#learn();
    try {
      return await request();
    } catch (fault) {
      if (fault instanceof OAuthFault && fault.isRefusal)
        this.#assertion = { text, refused: { fault, until: Date.now() + REFUSED_FOR } };
      throw fault;
    }
  }

  get #key(): string {
    const { server, user = '' } = this.#options;
    return tokenKey(server, user);
  }

  async #keep(answer: JsonObject, asked: AskedToken): Promise<Renewal> {
    const token = toToken(answer, asked);
    this.#learn(token);
    // A token that was exchanged for a user's current token ends with it.
    if (this.#options.keeps !== false) await keepToken(this.#options.store().space(TOKEN_SPACE), this.#key, token);
    return this.#use(token);
  }

  #use(token: KeptToken | undefined): Renewal {
    this.#token = token;
    this.#learn();
    return { type: 'retry' };
  }

  #learn(token: KeptToken | undefined = this.#token): void {
    const { access, refresh, key } = token ?? {};
    const secrets = [access, refresh, this.#clientSecret, key?.jwk.d, this.#assertion?.text];
    this.#options.learn(secrets.filter((secret) => secret !== undefined));
  }
}

function chooseScope(
  { scopes, issuerScopes }: Authorization,
  {
    challenge,
    settings,
    kept,
  }: { readonly challenge: Challenge; readonly settings: OAuthSettings; readonly kept: KeptToken | undefined },
): string | undefined {
  const wanted = challenge.scope === undefined ? (scopes ?? []) : words(challenge.scope);
  // Without this scope many servers issue no refresh token.
  const offline =
    settings.grant === 'authorization_code' && issuerScopes.includes('offline_access') ? ['offline_access'] : [];
  const all = [...new Set([...words(kept?.scope), ...wanted, ...words(settings.scope), ...offline])];
  return all.length === 0 ? undefined : all.join(' ');
}

function isWithin(scope: string | undefined, granted: string): boolean {
  const known = new Set(words(granted));
  return words(scope).every((word) => known.has(word));
}
