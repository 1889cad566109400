import { createHash } from 'node:crypto';
import { isPlainObject } from '../../tool/json.ts';
import type { HttpClock } from '../http/retry-request.ts';
import type { SealedStore } from '../store/sealed-space.ts';
import { type AuthorizationServer, readAuthorizationServer } from './authorization-server.ts';
import { logInBrowser } from './log-in-browser.ts';
import { logInDevice } from './log-in-device.ts';
import { type OAuthIdentity, requestToken } from './oauth-client.ts';
import type { JsonObject, OAuthHttp } from './oauth-http.ts';
import { OAuthFault, type OAuthLogin } from './oauth-settings.ts';
import { takeTurn } from './take-turn.ts';

/** The OAuth client of an API, as configured. */
export interface ApiClient {
  /** The name of the login for users. */
  readonly name: string;
  readonly grant: 'client_credentials' | 'device' | 'authorization_code';
  readonly issuer?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly deviceUrl?: string | undefined;
  readonly authorizeUrl?: string | undefined;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly clientAuth?: 'basic' | 'body' | undefined;
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
}

interface ApiTokensOptions {
  readonly client: ApiClient;
  readonly http: OAuthHttp;
  readonly clock: HttpClock;
  /** Stops waiting for other processes. */
  readonly closed: AbortSignal;
  /** Opens the store when a token is needed. */
  store(): SealedStore;
  /** Receives every secret before its first use. */
  learn(secrets: readonly string[]): void;
}

interface Token {
  readonly access: string;
  readonly refresh: string | undefined;
  /** The time until which the token is used, in milliseconds since 1970; if unknown, until it is refused. */
  readonly until: number | undefined;
}

/** Milliseconds for which a token is used without checking the store. */
const TRUST = 5000;
/** Milliseconds for which a refused client does not retry. */
const REFUSED_FOR = 30_000;

/** The token of one API: stored between runs, and renewed in time by one process at a time. */
export class ApiTokens {
  readonly #options: ApiTokensOptions;
  readonly #key: string;
  #token: Token | undefined;
  /** The time of the next check of the store. */
  #lookAt = 0;
  #renewing: Promise<Token> | undefined;
  #server: AuthorizationServer | undefined;
  #refused: { readonly fault: OAuthFault; readonly until: number } | undefined;

  constructor(options: ApiTokensOptions) {
    this.#options = options;
    const { name, grant, issuer, tokenUrl, clientId, scope, audience } = options.client;
    const identity = JSON.stringify([grant, issuer, tokenUrl, clientId, scope, audience]);
    const print = createHash('sha256').update(identity).digest('base64url');
    this.#key = `api ${name} ${print.slice(0, 16)}`;
  }

  /** Returns true when requests need no login by a person first. */
  async isReady(): Promise<boolean> {
    const { client, clock } = this.#options;
    const kept = await this.#read();
    return client.grant === 'client_credentials' || kept?.refresh !== undefined || isFresh(kept, clock.now());
  }

  /** Returns the access token. Throws an `OAuthFault` without one, or when a login is missing. */
  async access(): Promise<string> {
    const now = this.#options.clock.now();
    // A person may have logged in again in another process.
    if (this.#token !== undefined && now < this.#lookAt && isFresh(this.#token, now)) return this.#token.access;
    return (await this.#renewOnce(undefined)).access;
  }

  /** Gets another token than the refused one. Returns false without one. */
  async renew(refused: string): Promise<boolean> {
    return (await this.#renewOnce(refused)).access !== refused;
  }

  /** Runs a login by a person. Throws an `OAuthFault` when it fails. */
  async login(login: OAuthLogin, signal: AbortSignal): Promise<void> {
    const { client, http, clock } = this.#options;
    const { scope, audience, grant } = client;
    const from = await this.#findServer();
    const request = (fields: Readonly<Record<string, string>>): Promise<JsonObject> => this.#request(from, fields);
    if (grant === 'client_credentials') return this.#keep(await request({ grant_type: grant, ...this.#asked() }));
    if (grant === 'device') {
      const answer = await logInDevice(from, {
        http,
        identity: this.#identity,
        scope,
        audience,
        login,
        clock,
        signal,
        request,
      });
      return this.#keep(answer);
    }
    return this.#keep(await request(await logInBrowser(from, this.#identity, { login, scope, audience })));
  }

  /** Deletes the stored token without telling the authorization server. Returns false without one. */
  forget(): Promise<boolean> {
    this.#token = undefined;
    return this.#options.store().space('oauth').delete(this.#key);
  }

  /** Shares one renewal between concurrent calls. */
  #renewOnce(refused: string | undefined): Promise<Token> {
    this.#renewing ??= this.#renew(refused).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew(refused: string | undefined): Promise<Token> {
    const { clock, closed } = this.#options;
    if (this.#refused !== undefined && clock.now() < this.#refused.until) throw this.#refused.fault;
    const findUsable = async (): Promise<Token | undefined> => {
      const kept = await this.#read();
      if (kept !== undefined && kept.access !== refused && isFresh(kept, clock.now())) return kept;
      this.#demandLogin(kept);
      return undefined;
    };
    const kept = await findUsable();
    if (kept !== undefined) return this.#use(kept);
    const from = await this.#findServer();
    const token = await takeTurn(this.#key, {
      store: this.#options.store(),
      find: findUsable,
      work: () => this.#renewInTurn(from),
      sleep: (milliseconds) => clock.sleep(milliseconds, closed),
    });
    return this.#use(token);
  }

  async #renewInTurn(from: AuthorizationServer): Promise<Token> {
    const { client, clock } = this.#options;
    const { grant } = client;
    const kept = await this.#read();
    const fields =
      grant === 'client_credentials'
        ? { grant_type: grant, ...this.#asked() }
        : { grant_type: 'refresh_token', refresh_token: kept?.refresh ?? '' };
    try {
      const answer = await this.#request(from, fields);
      await this.#keep({ refresh_token: kept?.refresh, ...answer }, kept);
    } catch (error) {
      if (!(error instanceof OAuthFault) || !error.isRefusal) throw error;
      if (grant === 'client_credentials') {
        this.#refused = { fault: error, until: clock.now() + REFUSED_FOR };
        throw error;
      }
      // The token would be refused again: only a login helps, and one may have happened meanwhile.
      if (kept !== undefined) await this.#replace(kept, { ...kept, refresh: undefined, until: 0 });
      const newer = await this.#read();
      if (newer?.access === kept?.access) this.#demandLogin(newer);
    }
    const token = await this.#read();
    if (token === undefined) throw new OAuthFault('its token was deleted during the renewal');
    return token;
  }

  #demandLogin(kept: Token | undefined): void {
    const { name, grant } = this.#options.client;
    if (grant === 'client_credentials' || kept?.refresh !== undefined) return;
    throw new OAuthFault(`it needs a login. Run: pegboard login ${name}`);
  }

  get #identity(): OAuthIdentity {
    const { clientId: id, clientSecret: secret } = this.#options.client;
    return { id, secret, method: undefined };
  }

  #asked(): Record<string, string> {
    const { scope, audience } = this.#options.client;
    return { ...(scope === undefined ? {} : { scope }), ...(audience === undefined ? {} : { audience }) };
  }

  #request(from: AuthorizationServer, fields: Readonly<Record<string, string>>): Promise<JsonObject> {
    const { http } = this.#options;
    const settings = { privateKey: undefined, algorithm: 'ES256' } as const;
    return requestToken(from, this.#identity, { http, settings, key: undefined, fields });
  }

  async #findServer(): Promise<AuthorizationServer> {
    const { client, http } = this.#options;
    if (this.#server !== undefined) return this.#server;
    const { issuer, tokenUrl, deviceUrl, authorizeUrl, clientAuth } = client;
    const said = issuer === undefined ? undefined : await readAuthorizationServer(http, issuer);
    const tokenEndpoint = tokenUrl ?? said?.tokenEndpoint;
    if (tokenEndpoint === undefined) throw new OAuthFault(`${issuer} does not describe itself. Set auth.token_url`);
    const written = clientAuth && [clientAuth === 'body' ? 'client_secret_post' : 'client_secret_basic'];
    this.#server = {
      issuer: said?.issuer ?? new URL(tokenEndpoint).origin,
      tokenEndpoint,
      authorizationEndpoint: authorizeUrl ?? said?.authorizationEndpoint,
      deviceEndpoint: deviceUrl ?? said?.deviceEndpoint,
      registrationEndpoint: undefined,
      issuerScopes: [],
      authMethods: written ?? said?.authMethods ?? [],
      // PKCE is always used; servers that do not support it ignore it.
      challengeMethods: ['S256'],
      takesMetadataUrl: false,
      sendsIssuer: said?.sendsIssuer ?? false,
      givesDpop: false,
    };
    return this.#server;
  }

  /** Stores a token response. Replaces only `before` when given, because a login in between is newer. */
  async #keep(answer: JsonObject, before?: Token): Promise<void> {
    const { access_token: access, refresh_token: refresh, expires_in: seconds } = answer;
    const lifetime = typeof seconds === 'number' || typeof seconds === 'string' ? Number(seconds) * 1000 : Number.NaN;
    const token: Token = {
      access: String(access),
      refresh: typeof refresh === 'string' && refresh !== '' ? refresh : undefined,
      // Expires a minute early, so that the token is still valid when it arrives.
      until: lifetime > 0 ? this.#options.clock.now() + Math.max(lifetime - 60_000, lifetime / 2) : undefined,
    };
    this.#learn(token);
    if (before === undefined) {
      await this.#options.store().space('oauth').set(this.#key, token);
      this.#use(token);
    } else await this.#replace(before, token);
  }

  #replace(before: Token, token: Token): Promise<void> {
    return this.#options.store().transaction(async (inside) => {
      const space = inside.space('oauth');
      if (readToken(await space.get(this.#key))?.access === before.access) await space.set(this.#key, token);
    });
  }

  async #read(): Promise<Token | undefined> {
    return readToken(await this.#options.store().space('oauth').get(this.#key));
  }

  #use(token: Token): Token {
    this.#learn(token);
    this.#token = token;
    this.#lookAt = this.#options.clock.now() + TRUST;
    return token;
  }

  #learn({ access, refresh }: Token): void {
    const { clientSecret } = this.#options.client;
    this.#options.learn([access, refresh, clientSecret].filter((secret) => secret !== undefined));
  }
}

function isFresh(token: Token | undefined, now: number): boolean {
  return token !== undefined && (token.until === undefined || now < token.until);
}

function readToken(value: unknown): Token | undefined {
  if (!isPlainObject(value)) return undefined;
  const { access, refresh, until } = value;
  if (typeof access !== 'string') return undefined;
  return {
    access,
    refresh: typeof refresh === 'string' ? refresh : undefined,
    until: typeof until === 'number' ? until : undefined,
  };
}
