import { createHash } from 'node:crypto';
import type { Answers, LoginPage } from '../../../tool/calls/ask.ts';
import type { CallClient } from '../../../tool/calls/call-owner.ts';
import type { CancelSignal } from '../../../tool/calls/cancellation.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { createOAuthHttp } from '../../../platform/oauth/oauth-http.ts';
import type { OAuthSettings } from '../../../platform/oauth/oauth-settings.ts';
import { loadTalk, type ServerCommons, type ServerTalk } from '../server-commons.ts';
import { readToken, TOKEN_SPACE, tokenKey } from './kept-token.ts';
import type { OAuthTokens } from './oauth-tokens.ts';
import { LOGINS_CHANGED, UserLogins } from './user-logins.ts';
import { createRestartSchedule } from '../upstream-timing.ts';
import { exchangesTokens, type ServerSettings } from '../server-settings.ts';
import type { TokenOwner, UpstreamResources } from '../upstream-resources.ts';

export interface LoginCall {
  readonly client: CallClient;
  readonly signal: CancelSignal;
  /** Shows the user a page of the board; `undefined` if the client opens none. */
  readonly openPage?: ((page: LoginPage) => Promise<Answers['login']>) | undefined;
  untimed<T>(work: Promise<T>): Promise<T>;
}

/** The user of a connection: the client of the latest call, and the token in use. */
export interface Person {
  client: CallClient;
  tokens: OAuthTokens | undefined;
}

interface Connected<S> {
  readonly server: S;
  readonly person: Person | undefined;
}

interface UserFollower<S> {
  readonly end: (server: S) => void;
  readonly open: (client: CallClient) => Promise<void>;
}

interface LoginAddress {
  readonly url: string;
  readonly oauth: OAuthSettings;
}

/** The logins of users at one server where each user has a login. */
export class UserAuth {
  readonly logins: UserLogins;
  readonly #settings: ServerSettings;
  readonly #server: { readonly name: string; readonly url: string };
  readonly #resources: UpstreamResources;
  #open: UserFollower<unknown>['open'] = async () => {};
  #look: () => Promise<void> = async () => {};
  #stop: (() => void) | undefined;

  constructor(settings: ServerSettings, { url, oauth }: LoginAddress, resources: UpstreamResources) {
    this.#settings = settings;
    this.#resources = resources;
    const { name } = settings;
    this.#server = { name, url };
    this.logins = new UserLogins({
      server: this.#server,
      settings: oauth,
      http: async () =>
        createOAuthHttp([url], (own) => (own === undefined ? resources.publicDispatcher() : resources.dispatcher(own))),
      store: () => resources.tokenStore(),
      // The login may be what the server's first answer needs. If this fails, the user's next call reports the reason.
      onLogin: (user) => this.#open({ user, session: '' }).catch(() => {}),
      learn: (user, secrets) => resources.learn(`token of ${name} for ${user}`, secrets),
    });
  }

  /** Distinguishes users and, where tokens are exchanged, their tokens: each may grant other rights. */
  keyOf({ user, subjectToken }: CallClient): string {
    if (!exchangesTokens(this.#settings) || subjectToken === undefined) return user;
    return `${user}\n${createHash('sha256').update(subjectToken()).digest('base64url')}`;
  }

  /**
   * Returns the shared parts for a connection of one user. A user without access delays no other and does not count as a failure of the
   * server.
   */
  commonsFor(person: Person, commons: ServerCommons): ServerCommons {
    const { user } = person.client;
    // If the store is unavailable, the server itself refuses expired logins.
    this.#stop ??= this.#resources.tokenStore().watch(LOGINS_CHANGED, () => void this.#look().catch(() => {}));
    let talk: Promise<ServerTalk> | undefined;
    const people = { logins: this.logins, client: () => person.client };
    return {
      ...commons,
      starts: createRestartSchedule(commons.clock),
      startFailure: undefined,
      onFailure: (message) => {
        if (user === '') commons.onFailure(message);
      },
      talk: () => (talk ??= this.#load(person, people)),
    };
  }

  /** Runs work that needs a login: asks the user to log in if the login is missing, then runs the work again. */
  async withLogin<T>(call: LoginCall, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const url = error instanceof ToolError ? error.loginUrl : undefined;
      if (url === undefined || call.openPage === undefined) throw error;
      const message = 'It wants you to log in. Your call goes on when you have done so.';
      const elicitationId = createHash('sha256').update(url).digest('base64url').slice(0, 22);
      const answer = await call.untimed(call.openPage({ url, message, elicitationId }));
      if (answer.action !== 'accept') throw error;
      await call.untimed(this.logins.untilOver(url, toSignal(call)));
      return work();
    }
  }

  async isLoggedIn(user: string): Promise<boolean> {
    return (await this.#accessOf(user)) !== undefined;
  }

  /** Ends the connections of users who log out or log in as another user, in any process of the board. */
  follow<S>(members: ReadonlyMap<string, Connected<S>>, { end, open }: UserFollower<S>): void {
    this.#open = open;
    this.#look = async () => {
      for (const { server, person } of members.values()) if (await this.#isOver(person)) end(server);
    };
  }

  /** Returns true when a connection uses a login that its user no longer has. */
  async #isOver(person: Person | undefined): Promise<boolean> {
    const access = exchangesTokens(this.#settings) ? undefined : person?.tokens?.access;
    if (person === undefined || access === undefined) return false;
    return (await this.#accessOf(person.client.user)) !== access;
  }

  close(): void {
    this.#stop?.();
  }

  async #load(person: Person, people: TokenOwner['people']): Promise<ServerTalk> {
    const talk = await loadTalk(this.#settings, this.#resources, { user: person.client.user, people });
    person.tokens = talk.tokens;
    return talk;
  }

  async #accessOf(user: string): Promise<string | undefined> {
    const key = tokenKey(this.#server, user);
    return readToken(await this.#resources.tokenStore().space(TOKEN_SPACE).get(key))?.access;
  }
}

/** Returns the users of a server whose entry requires a login for each user. */
export function usersOf(settings: ServerSettings, resources: UpstreamResources): UserAuth | undefined {
  const { auth, address } = settings;
  if (auth !== 'user' || address.type === 'stdio' || address.oauth === undefined) return undefined;
  return new UserAuth(settings, { url: address.url, oauth: address.oauth }, resources);
}

/** Returns an `AbortSignal` for waits that require one. */
function toSignal({ signal }: LoginCall): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return controller.signal;
}
