import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { DpopKey } from '../../../platform/oauth/dpop-key.ts';
import { beginBrowserLogin, readBrowserLogin } from '../../../platform/oauth/log-in-browser.ts';
import { type OAuthIdentity, readIdentity, requestToken } from '../../../platform/oauth/oauth-client.ts';
import type { OAuthHttp } from '../../../platform/oauth/oauth-http.ts';
import { OAuthFault, type OAuthSettings } from '../../../platform/oauth/oauth-settings.ts';
import type { SealedStore } from '../../../platform/store/sealed-space.ts';
import { isObject, type JsonObject } from '../transports/transport.ts';
import type { Authorization } from './discover-authorization.ts';
import { keepToken, readKey, TOKEN_SPACE, tokenKey, toToken } from './kept-token.ts';

/** The channel that announces logins and logouts to all processes of the board. */
export const LOGINS_CHANGED = 'user-logins';

const SPACE = 'logins';
const PAGE_LIFETIME = 600_000;
/** Milliseconds between two checks for a finished login. */
const LOOK = 250;

/** A login that a page of the board offers, as the person sees it. */
export interface OpenLogin {
  readonly server: string;
  readonly user: string;
  readonly issuer: string;
  readonly scope: string | undefined;
}

interface LoginRow extends OpenLogin {
  readonly url: string;
  readonly redirectUri: string;
  readonly from: Authorization;
  readonly client: OAuthIdentity;
  readonly key: JsonObject | undefined;
  readonly expiresAt: number;
  /** The values that the browser must return; set when a browser began the login. */
  readonly begun?: { readonly state: string; readonly verifier: string; readonly cookie: string } | undefined;
}

interface LoginWish {
  readonly user: string;
  readonly pages: string;
  readonly from: Authorization;
  readonly client: OAuthIdentity;
  readonly scope: string | undefined;
  readonly key: DpopKey | undefined;
}

interface UserLoginsOptions {
  readonly server: { readonly name: string; readonly url: string };
  readonly settings: OAuthSettings;
  readonly http: () => Promise<OAuthHttp>;
  store(): Pick<SealedStore, 'space' | 'signal'>;
  /** Awaited after a login. Never rejects. */
  readonly onLogin: (user: string) => Promise<void>;
  /** Registers secrets for redaction before they are used. */
  readonly learn: (user: string, secrets: readonly string[]) => void;
}

/** Returns the address to which browsers return after a login. */
export function redirectUriOf(pages: string): string {
  return `${pages}/callback`;
}

/**
 * The logins of users at one server, on pages of the board. They are rows in the board's store: the process that opened a page, the one
 * that shows it and the one to which the browser returns may differ.
 */
export class UserLogins {
  readonly #options: UserLoginsOptions;

  constructor(options: UserLoginsOptions) {
    this.#options = options;
  }

  /** Opens a login page for a user, or finds the open one, and returns its address. */
  async open({ user, pages, from, client, scope, key }: LoginWish): Promise<string> {
    const { server } = this.#options;
    const space = this.#space;
    const index = `open ${createHash('sha256').update(tokenKey(server, user)).digest('base64url')}`;
    const redirectUri = redirectUriOf(pages);
    const known = await space.get(index);
    if (typeof known === 'string') {
      const row = await this.#read(known);
      const isSame = row?.redirectUri === redirectUri && row.from.issuer === from.issuer && row.scope === scope;
      if (isSame && row.expiresAt - Date.now() > PAGE_LIFETIME / 2) return `${pages}/${known}`;
      // A server that requests something else each time must not fill the store with pages.
      if (!isSame) await space.delete(nameOf(known));
    }
    const page = randomBytes(24).toString('base64url');
    const row: LoginRow = {
      server: server.name,
      url: server.url,
      user,
      redirectUri,
      from,
      issuer: from.issuer,
      client,
      scope,
      key: key === undefined ? undefined : { ...key.jwk },
      expiresAt: Date.now() + PAGE_LIFETIME,
    };
    await this.#write(page, row);
    await space.set(index, page, { ttl: PAGE_LIFETIME });
    return `${pages}/${page}`;
  }

  /** Returns the login of a page; `undefined` if it belongs to another server or has expired. */
  async find(page: string): Promise<OpenLogin | undefined> {
    return this.#read(page);
  }

  /** Begins the login in the browser that shows the page. Returns the address to open and a cookie that only this browser gets. */
  async begin(page: string): Promise<{ readonly url: string; readonly cookie: string } | undefined> {
    const row = await this.#read(page);
    if (row === undefined) return undefined;
    const { from, client, redirectUri, scope } = row;
    const state = `${page}.${randomBytes(16).toString('base64url')}`;
    const cookie = randomBytes(24).toString('base64url');
    const { url, verifier } = beginBrowserLogin(from, client, { redirectUri, scope, state });
    await this.#write(page, { ...row, begun: { state, verifier, cookie: hash(cookie) } });
    return { url, cookie };
  }

  /**
   * Finishes a login with the address to which the browser returned; `undefined` if it belongs to another server. Throws an `OAuthFault`
   * if another browser began the login, or if there is no token.
   */
  async finish(address: string, cookie: string): Promise<OpenLogin | undefined> {
    const page = (URL.parse(address)?.searchParams.get('state') ?? '').split('.')[0] ?? '';
    const row = await this.#read(page);
    if (row === undefined) return undefined;
    const { from, client, redirectUri, scope, user, begun } = row;
    if (begun === undefined || !isSame(begun.cookie, hash(cookie)))
      throw new OAuthFault('this browser did not begin the login');
    const key = row.key === undefined ? undefined : readKey(row.key);
    const fields = readBrowserLogin(from, { ...begun, redirectUri }, address);
    // The first process uses the code; it is valid once.
    if (!(await this.#space.delete(nameOf(page)))) return undefined;
    const { server, settings, learn } = this.#options;
    const http = await this.#options.http();
    const token = toToken(await requestToken(from, client, { http, settings, key, fields }), {
      from,
      scope,
      key,
      client,
    });
    learn(
      user,
      [token.access, token.refresh, client.secret].filter((secret) => secret !== undefined),
    );
    await keepToken(this.#options.store().space(TOKEN_SPACE), tokenKey(server, user), token);
    await this.#options.store().signal(LOGINS_CHANGED);
    await this.#options.onLogin(user);
    return row;
  }

  /** Deletes the login of a user in all processes of the board and returns true if there was one. Does not notify the authorization server. */
  async forget(user: string): Promise<boolean> {
    const { server } = this.#options;
    const isForgotten = await this.#options.store().space(TOKEN_SPACE).delete(tokenKey(server, user));
    await this.#options.store().signal(LOGINS_CHANGED);
    return isForgotten;
  }

  /** Waits until a page is used or has expired. Rejects when the signal aborts. */
  async untilOver(address: string, signal: AbortSignal): Promise<void> {
    const page = address.split('/').at(-1) ?? '';
    while ((await this.#read(page)) !== undefined) await wait(LOOK, undefined, { signal });
  }

  get #space(): ReturnType<SealedStore['space']> {
    return this.#options.store().space(SPACE);
  }

  async #read(page: string): Promise<LoginRow | undefined> {
    const { server } = this.#options;
    const row = parseRow(await this.#space.get(nameOf(page)));
    if (row === undefined || row.expiresAt < Date.now()) return undefined;
    // A server with another address is another server.
    return row.server === server.name && row.url === server.url ? row : undefined;
  }

  async #write(page: string, row: LoginRow): Promise<void> {
    await this.#space.set(nameOf(page), row, { ttl: Math.max(1, row.expiresAt - Date.now()) });
  }
}

/** Anyone who reads the database can read names of rows; only its user knows the page. */
function nameOf(page: string): string {
  return `page ${hash(page)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

function parseRow(value: unknown): LoginRow | undefined {
  if (!isObject(value) || typeof value['server'] !== 'string' || !isObject(value['client'])) return undefined;
  const client = readIdentity(value['client']);
  // The row is sealed: only a process with the board's key can have written it, in this shape.
  return client === undefined ? undefined : ({ ...value, client } as unknown as LoginRow);
}
