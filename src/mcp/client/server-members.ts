import type { CallClient, ClientRoot } from '../../tool/calls/call-owner.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { explainUnavailable } from './explain-unavailable.ts';
import type { Person, UserAuth } from './oauth/user-auth.ts';
import { createRestartSchedule } from './upstream-timing.ts';
import type { ServerCommons, ServerProcess } from './server-commons.ts';
import { namesUser, type ServerSettings, settingsFor } from './server-settings.ts';
import type { TransportFailure } from './transports/transport.ts';
import { BOARD_CLOSED, RETIRED, UpstreamServer, type UpstreamStatus } from './upstream-server.ts';

/** A process or connection. */
export interface Member {
  readonly server: UpstreamServer;
  /** The first caller that used it. */
  readonly client: CallClient;
  /** Set if each user logs in. */
  readonly person: Person | undefined;
}

/** The client of the process that only lists tools. */
export const BOARD_CLIENT: CallClient = { user: '', session: '' };

interface MemberParts {
  readonly settings: ServerSettings;
  readonly users: UserAuth | undefined;
  readonly commons: () => ServerCommons;
}

/** The reason why no more processes are started. */
export class ServerMembers {
  readonly members: Map<string, Member> = new Map();
  pastStarts = 0;
  /** The reason why no process is started any more. */
  ending: TransportFailure | undefined;
  readonly #settings: ServerSettings;
  readonly #users: UserAuth | undefined;
  readonly #commons: () => ServerCommons;
  /** Processes that are ending. */
  readonly #leaving = new Map<UpstreamServer, Promise<void>>();

  constructor({ settings, users, commons }: MemberParts) {
    this.#settings = settings;
    this.#users = users;
    this.#commons = commons;
  }

  /** All processes, including ending ones. */
  all(): UpstreamServer[] {
    return [...[...this.members.values()].map(({ server }) => server), ...this.#leaving.keys()];
  }

  /** Returns the latest process that this client may share and that has listed its resources. */
  findFor(client: CallClient): UpstreamServer | undefined {
    const key = this.keyOf(client);
    return [...this.members.values()].findLast(
      (member) => this.keyOf(member.client) === key && member.server.resources !== undefined,
    )?.server;
  }

  /** Returns a process for listing tools: a running or starting one, or a new one. */
  forBoard(): UpstreamServer {
    const inState = (state: UpstreamStatus['state']): UpstreamServer | undefined =>
      [...this.members.values()].find(({ server }) => server.status.state === state)?.server;
    return inState('running') ?? inState('starting') ?? this.serverFor(BOARD_CLIENT, undefined);
  }

  /** Ends all processes, at once or after their calls; no further ones are started. */
  async end(way: 'retire' | 'close'): Promise<void> {
    this.ending ??= way === 'retire' ? RETIRED : BOARD_CLOSED;
    await Promise.all(this.all().map((server) => server[way]()));
  }

  /** Returns the process for a caller with these folders; its first call starts it. */
  serverFor(client: CallClient, roots: readonly ClientRoot[] | undefined): UpstreamServer {
    const key = this.keyOf(client, roots);
    const known = this.members.get(key);
    if (known?.person !== undefined) known.person.client = client;
    if (known !== undefined) return known.server;
    if (this.ending !== undefined) throw explainUnavailable(this.#settings, this.ending);
    const taken = this.#takeUnasked(client, roots) ?? this.#takeFresh(roots);
    const { server, person } = taken ?? this.#create(client, roots);
    this.members.set(key, { server, client, person });
    if (this.#settings.share === 'session') {
      client.ended?.addEventListener('abort', () => this.drop(server), { once: true });
    }
    return server;
  }

  /** Returns the key of the process that a caller with these folders shares. */
  keyOf(client: CallClient, roots: readonly ClientRoot[] = []): string {
    const user = this.#users?.keyOf(client) ?? client.user;
    const folders = roots.length === 0 ? '' : JSON.stringify(roots);
    switch (this.#settings.share) {
      case 'board':
        return folders;
      case 'user':
        return `${folders}\n${user}`;
      case 'session':
        return `${folders}\n${JSON.stringify([user, client.session])}`;
      default:
        return this.#settings.share satisfies never;
    }
  }

  /** Takes a process of the same callers that has not asked for folders yet. */
  #takeUnasked(client: CallClient, roots: readonly ClientRoot[] | undefined): Member | undefined {
    const key = this.keyOf(client);
    const member = this.members.get(key);
    if (roots === undefined || member?.server.take(roots) !== true) return undefined;
    this.members.delete(key);
    return member;
  }

  /** Takes the process that only listed tools: it has seen no caller. */
  #takeFresh(roots: readonly ClientRoot[] | undefined): Member | undefined {
    const key = this.keyOf(BOARD_CLIENT);
    const member = this.members.get(key);
    const isOpen = this.#settings.share === 'board' || !namesUser(this.#settings);
    if (!isOpen || member?.server.isFresh !== true || !member.server.take(roots)) return undefined;
    this.members.delete(key);
    return member;
  }

  #create(client: CallClient, roots: readonly ClientRoot[] | undefined): Omit<Member, 'client'> {
    const users = this.#users;
    const settings = this.#settings;
    const { user } = client;
    this.#makeRoom(user);
    const owner = settings.share === 'board' ? '' : user;
    const person = users && { client, tokens: undefined };
    // If the command names the user, its start may fail for one user and must not delay those of others.
    const isOwn = owner !== '' && namesUser(settings);
    const shared = this.#commons();
    const own = isOwn ? { ...shared, starts: createRestartSchedule(shared.clock) } : shared;
    const commons = person === undefined ? own : (users?.commonsFor(person, own) ?? own);
    return { server: new UpstreamServer(settingsFor(settings, owner), commons, roots), person };
  }

  /**
   * Ends a process when there are too many: an idle one of the user with the most processes, so that no user displaces the others; of
   * these, the one idle longest. Throws if all are busy, or if this user already has its share of busy ones.
   */
  #makeRoom(user: string): void {
    for (const { server } of this.members.values()) if (server.isOver) this.drop(server);
    const { maxInstances, name } = this.#settings;
    const members = [...this.members.values()];
    const most = Math.max(1, maxInstances - Math.max(1, Math.floor(maxInstances / 4)));
    const own = members.filter(({ client, server }) => client.user === user && server.isBusy).length;
    if (user !== '' && own >= most) {
      const message = `The MCP server "${name}" runs ${own} times for you already, with calls under way; the rest of its ${maxInstances} (max_instances) is for other users. Try again when one of your calls is over.`;
      throw new ToolError({ code: 'upstream_unavailable', message });
    }
    if (members.length < maxInstances) return;
    const count = ({ client }: Member): number =>
      members.filter((other) => other.client.user === client.user).length + (client.user === user ? 1 : 0);
    const [first] = members
      .filter(({ server }) => !server.isBusy)
      .toSorted((one, other) => count(other) - count(one) || one.server.lastUsed - other.server.lastUsed);
    if (first !== undefined) return this.drop(first.server);
    const message = `The MCP server "${name}" runs ${maxInstances} times already, for callers that all use it now (max_instances). Try again when one of their calls is over.`;
    throw new ToolError({ code: 'upstream_unavailable', message });
  }

  /** Reserves a process that received its folders for callers with the same folders. */
  place(server: ServerProcess, roots: readonly ClientRoot[] | undefined): void {
    const [key, member] = this.find(server) ?? [];
    if (key === undefined || member === undefined || roots === undefined || roots.length === 0) return;
    const own = this.keyOf(member.client, roots);
    if (this.members.has(own)) return this.drop(member.server);
    this.members.delete(key);
    this.members.set(own, member);
  }

  find(server: ServerProcess): [string, Member] | undefined {
    return [...this.members].find(([, member]) => member.server === server);
  }

  /** Ends a process after its calls; its next caller gets another. */
  drop(server: UpstreamServer): void {
    const [key] = this.find(server) ?? [];
    if (key === undefined) return;
    this.members.delete(key);
    const end = server.retire().finally(() => {
      this.#leaving.delete(server);
      this.pastStarts += server.status.starts;
    });
    this.#leaving.set(server, end);
  }

  /** Waits while there are too many processes, including ending ones. Does not wait for one that still runs a call. */
  async room(): Promise<void> {
    for (;;) {
      const ending = [...this.#leaving].flatMap(([server, end]) => (server.isBusy ? [] : [end]));
      if (ending.length === 0 || this.members.size + ending.length <= this.#settings.maxInstances) return;
      await Promise.race(ending);
    }
  }
}
