import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { DpopKey } from '../../../platform/oauth/dpop-key.ts';
import { beginBrowserLogin, readBrowserLogin } from '../../../platform/oauth/log-in-browser.ts';
import { type OAuthIdentity, requestToken } from '../../../platform/oauth/oauth-client.ts';
import type { OAuthHttp } from '../../../platform/oauth/oauth-http.ts';
import { OAuthFault, type OAuthSettings } from '../../../platform/oauth/oauth-settings.ts';
import type { SealedStore } from '../../../platform/store/sealed-space.ts';
import { isObject, type JsonObject } from '../transports/transport.ts';
import type { Authorization } from './discover-authorization.ts';
import { keepToken, readClient, readKey, TOKEN_SPACE, tokenKey, toToken } from './kept-token.ts';

/** Told to all processes of the board when a user logged in or out. */
export const LOGINS_CHANGED = 'user-logins';

const SPACE = 'logins';
/** Milliseconds for which a page can be used. */
const PAGE_LIFETIME = 600_000;
/** Milliseconds between two looks at whether a person is done. */
const LOOK = 250;

/** A login that a page of the board is for, as its person is shown it. */
export interface OpenLogin {
  /** The server that wants it. */
  readonly server: string;
  /** The user whose calls will use it. */
  readonly user: string;
  /** The authorization server at which the person logs in. */
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
  /** The values with which the browser that began the login must come back; set when one began. */
  readonly begun?: { readonly state: string; readonly verifier: string; readonly cookie: string } | undefined;
}

/** The parameters of a requested login. */
interface LoginWish {
  readonly user: string;
  /** The address of the board's pages. */
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
  /** Waited for when a user has logged in. Never rejects. */
  readonly onLogin: (user: string) => Promise<void>;
  /** Told of everything that must not be shown, before it is used. */
  readonly learn: (user: string, secrets: readonly string[]) => void;
}

/** Returns the address to which browsers return, below the pages of a board. */
export function redirectUriOf(pages: string): string {
  return `${pages}/callback`;
}

/**
 * The logins of users at one server, on pages of the board. Rows in the board's store carry them, so that the process that opened
 * a page, the one that shows it and the one that the browser comes back to may be three.
 */
export class UserLogins {
  readonly #options: UserLoginsOptions;

  constructor(options: UserLoginsOptions) {
    this.#options = options;
  }

  /** Opens a page on which a user logs in, or finds the one that is open, and gives its address. */
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
      // A server that asks for something else each time must not fill the store with pages.
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

  /** The login that a page is for; `undefined` for one of another server, and for one that is over. */
  async find(page: string): Promise<OpenLogin | undefined> {
    return this.#read(page);
  }

  /** Begins the login in the browser that shows the page: where to send it, and what only this browser knows. */
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
   * Ends a login with the address that the browser came back to. Gives `undefined` where it is none of this server's. Throws an
   * `OAuthFault` for another browser than the one that began it, and where there is no token.
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
    // A code is used once, by the process that is first.
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

  /** Forgets the login of a user, in all processes of the board; whether there was one. The authorization server is not told. */
  async forget(user: string): Promise<boolean> {
    const { server } = this.#options;
    const isForgotten = await this.#options.store().space(TOKEN_SPACE).delete(tokenKey(server, user));
    await this.#options.store().signal(LOGINS_CHANGED);
    return isForgotten;
  }

  /** Waits until a page is used, or over. Rejects when the signal aborts. */
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
    // A server that has another address now is another server.
    return row.server === server.name && row.url === server.url ? row : undefined;
  }

  async #write(page: string, row: LoginRow): Promise<void> {
    await this.#space.set(nameOf(page), row, { ttl: Math.max(1, row.expiresAt - Date.now()) });
  }
}

/** Names of rows can be read by all who read the database; the page itself is known to its user alone. */
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
  const client = readClient(value['client']);
  // The row is sealed: only a process with the board's key wrote it, and this is the shape it writes.
  return client === undefined ? undefined : ({ ...value, client } as unknown as LoginRow);
}
