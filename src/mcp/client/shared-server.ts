import type { CallClient, ClientRoot } from '../../tool/calls/call-owner.ts';
import type { OfferLog } from '../../tool/offers.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { stripDeceiving } from '../../tool/texts/reveal-hidden.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Manifest } from './offers/manifest-cache.ts';
import { NO_RESOURCES, type ResourceOffer } from './offers/offered-items.ts';
import { ServerOffers } from './offers/server-offers.ts';
import { explainUnavailable } from './explain-unavailable.ts';
import type { ServerMay } from './session/agree-on-era.ts';
import type { ServerRequestBody } from './session/send-request.ts';
import type { JsonObject } from './transports/wire-message.ts';
import { loadTalk, type ServerTalk } from './load-talk.ts';
import { ResourceFollowers } from './offers/resource-followers.ts';
import { createRestartSchedule } from './restart-schedule.ts';
import { namesUser, type ServerSettings, settingsFor, settingsKey } from './server-settings.ts';
import type { ServerCommons, ServerProcess, SessionWork } from './server-commons.ts';
import { rootsOf } from './server-folders.ts';
import type { UpstreamCall } from './session/call-tool.ts';
import { joinStatus, type ServerStatus } from './server-status.ts';
import { type StartFailure, StartFailures } from './start-failures.ts';
import type { TransportFailure } from './transports/transport.ts';
import { UPSTREAM_CLOCK } from './upstream-clock.ts';
import type { UpstreamResources } from './upstream-resources.ts';
import type { Person, UserAuth } from './oauth/user-auth.ts';
import { BOARD_CLOSED, RETIRED, UpstreamServer, type UpstreamStatus } from './upstream-server.ts';

/** A server's offer, or the reason why it is not known. */
export type Offer =
  | { readonly type: 'known'; readonly manifest: Manifest; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly message: string };

/** One process, or connection. */
interface Member {
  readonly server: UpstreamServer;
  /** The first that used it. */
  readonly client: CallClient;
  /** Its user, where each logs in. */
  readonly person: Person | undefined;
}

/** The user of the process that only lists tools. */
const BOARD: CallClient = { user: '', session: '' };

/** One server of the config: a process or connection for all callers, or one for each user or session. */
export class SharedServer {
  readonly settings: ServerSettings;
  /** Tools, and prompts under their `promptKey`, that must not be used, and why; the board's lock fills it. */
  denied: ReadonlyMap<string, string> = new Map();
  /** Requests that it must not send to callers, in addition to its settings; the board's policy fills it. */
  refused: ReadonlySet<keyof ServerMay> = new Set();
  /** Returns the address of a resource on the board, which sets it; `undefined` while they are not on one. */
  addressOf: ((uri: string) => string) | undefined;
  /** Its instructions for the clients of the board, where its entry and the lock let them pass. */
  instructions: string | undefined;
  /** Called, and waited for, when the server offers something else than before. */
  onOffer: ((server: SharedServer) => Promise<void>) | undefined;
  /** Called when the resources of one of its users changed. */
  onResources: (() => void) | undefined;
  /** Called with log lines of its processes that belong to no call. */
  onLog: ((line: OfferLog) => void) | undefined;
  /** Called when it did not start, or did not say what it offers. */
  onFailure: ((server: SharedServer, failure: StartFailure) => void) | undefined;
  /** Its users, where each logs in. */
  readonly users: UserAuth | undefined;
  readonly #failures: StartFailures;
  #talk: Promise<ServerTalk> | undefined;
  readonly #commons: ServerCommons;
  /** By who shares them. */
  readonly #members = new Map<string, Member>();
  /** Those that are being ended, until they are. */
  readonly #leaving = new Map<UpstreamServer, Promise<void>>();
  /** Listeners for changes of resources. */
  readonly #followers = new ResourceFollowers();
  #pastStarts = 0;
  /** True when one of its processes has asked for folders. */
  #asksRoots = false;
  /** Why none of it is started any more. */
  #ending: TransportFailure | undefined;

  /** With `users` each user logs in. */
  constructor(settings: ServerSettings, resources: UpstreamResources, users?: UserAuth) {
    this.settings = settings;
    this.users = users;
    users?.follow(this.#members, {
      end: (server) => this.#drop(server),
      open: (client) => this.#serverFor(client, undefined).open(),
    });
    const { cache, clock = UPSTREAM_CLOCK } = resources;
    const redact = (text: string): string => resources.redact(text);
    const onChange = async (): Promise<void> => this.onOffer?.(this);
    const key = settingsKey(settings, redact);
    this.#failures = new StartFailures({ settings, cache, key, redact });
    this.#commons = {
      resources,
      clock,
      talk: () => (this.#talk ??= loadTalk(settings, resources)),
      onFailure: (message) => {
        const failure = this.#failures.failed(message);
        this.onFailure?.(this, failure);
      },
      onStart: () => this.#failures.worked(),
      offer: new ServerOffers({ settings, cache, key, clock, onChange, onResources: () => this.onResources?.() }),
      starts: createRestartSchedule(clock),
      startFailure: undefined,
      habits: { asking: new Set(), quiet: new Set() },
      room: () => this.#room(),
      refusal: (tool) => this.denied.get(tool),
      onRoots: (server, roots) => this.#place(server, roots),
      may: () => this.may,
      ownerOf: (server) => this.#ownerOf(server),
      onResourceUpdated: (server, uri) => this.#followers.tell(server, uri),
      onLog: (server, level, text) => {
        const owner = this.#find(server)?.[1].client ?? BOARD;
        const isFor = (client: CallClient): boolean => this.#keyOf(client) === this.#keyOf(owner);
        this.onLog?.({ server: settings.name, level, text: stripDeceiving(redact(text)), isFor });
      },
    };
  }

  /** Its offer when it was last asked, here or in an earlier run. */
  get manifest(): Manifest | undefined {
    return this.#commons.offer.manifest;
  }

  /** The changes in its tools since a person last looked. */
  get changes(): string | undefined {
    return this.#commons.offer.changes;
  }

  readonly markSeen = (): void => this.#commons.offer.markSeen();

  get status(): ServerStatus {
    const all = this.#all().map(({ status }) => status);
    return joinStatus(all, { failure: this.#failures.last, pastStarts: this.#pastStarts });
  }

  /** Parts of the last list of its tools that could not be used. */
  get faults(): readonly string[] {
    return this.#commons.offer.faults;
  }

  /** Milliseconds until a board may start it by itself, after failures here or in earlier runs; 0 for now. */
  get delay(): number {
    return this.#failures.delay;
  }

  /** True when it would be started at once: not in the first moments after a failure. */
  get canStart(): boolean {
    return this.#commons.starts.delay() === 0 && this.#ending === undefined;
  }

  /** Takes the board's secrets out of a text. */
  redact(text: string): string {
    return this.#commons.resources.redact(text);
  }

  /** Starts it if it does not run, and asks what it offers. Never rejects. */
  async ask(): Promise<Offer> {
    try {
      const members = [...this.#members.values()].map(({ server }) => server);
      const inState = (state: UpstreamStatus['state']): UpstreamServer | undefined =>
        members.find(({ status }) => status.state === state);
      await (inState('running') ?? inState('starting') ?? this.#serverFor(BOARD, undefined)).open();
      const { manifest, faults } = this.#commons.offer;
      if (manifest !== undefined) return { type: 'known', manifest, faults };
      return { type: 'failed', message: 'It offers nothing.' };
    } catch (error) {
      return { type: 'failed', message: this.redact(messageOf(error)) };
    }
  }

  /** The requests that it may send to callers. */
  get may(): ServerMay {
    return {
      roots: this.mayAskFor('roots'),
      sampling: this.mayAskFor('sampling'),
      elicitation: this.mayAskFor('elicitation'),
    };
  }

  mayAskFor(what: keyof ServerMay): boolean {
    return this.settings[what] !== false && !this.refused.has(what);
  }

  /** The resources that a caller sees: those that its own process listed last, or those that are common to all. */
  resourcesFor(client: CallClient): ResourceOffer {
    const { manifest } = this;
    if (manifest === undefined) return NO_RESOURCES;
    if (this.settings.share === 'board') return manifest.common;
    const seen = [...this.#members.values()].findLast((member) => this.#isFor(member, client))?.server.resources;
    if (seen !== undefined) return seen;
    if (client.user === '') return manifest.own ?? manifest.common;
    // The command of the process names the user: other users' resources belong to them.
    return namesUser(this.settings) ? NO_RESOURCES : manifest.common;
  }

  /** Calls one of its tools. Throws a `ToolError`, at once or later, when that fails on the way. */
  call(call: UpstreamCall): Promise<ToolResult> {
    return this.#route(call, (session, taskId) => session.call(call, taskId));
  }

  /** Sends it another request for a caller; `tool` of the call is what the request is remembered as. Throws as `call` does. */
  async request(call: UpstreamCall, body: ServerRequestBody): Promise<JsonObject> {
    return this.#route(call, (session) => session.request(call, body));
  }

  /** Hears of changes of a resource on the caller's process, until the function that it gives is called. Throws as `call` does. */
  async follow(client: CallClient, uri: string, hear: () => void): Promise<() => void> {
    const member = [...this.#members.values()].findLast((one) => this.#isFor(one, client));
    return this.#followers.add(member?.server ?? this.#serverFor(client, undefined), uri, hear);
  }

  #isFor(member: Member, client: CallClient): boolean {
    return this.#keyOf(member.client) === this.#keyOf(client) && member.server.resources !== undefined;
  }

  #ownerOf(server: ServerProcess): 'common' | 'own' | 'other' {
    if (this.settings.share === 'board' || server.isFresh) return 'common';
    return this.#find(server)?.[1].client.user === '' ? 'own' : 'other';
  }

  /** Lets the user of a call in, who is asked to log in where that is missing. Throws as `call` does. */
  async logIn(call: UpstreamCall): Promise<void> {
    await this.#route(call, async () => ({ type: 'result', result: undefined }));
  }

  #route<T>(call: UpstreamCall, work: SessionWork<T>): Promise<T> {
    const { users } = this;
    return users === undefined ? this.#send(call, work) : users.withLogin(call, () => this.#send(call, work));
  }

  #send<T>(call: UpstreamCall, work: SessionWork<T>): Promise<T> {
    return this.#asksRoots ? this.#routeWithRoots(call, work) : this.#callOn(call, work, undefined);
  }

  async #routeWithRoots<T>(call: UpstreamCall, work: SessionWork<T>): Promise<T> {
    return this.#callOn(call, work, await rootsOf(call));
  }

  #callOn<T>(call: UpstreamCall, work: SessionWork<T>, roots: readonly ClientRoot[] | undefined): Promise<T> {
    const routed = { call, work, roots, elsewhere: () => this.#send(call, work) };
    const server = this.#serverFor(call.client, roots);
    if (!server.isOutdated(call.tool)) return server.call(routed);
    // The lock and the policy judged the tool as another process offers it: this caller gets that one too.
    this.#drop(server);
    return this.#serverFor(call.client, roots).call(routed);
  }

  /** Ends it once the calls in flight are over. */
  async retire(): Promise<void> {
    this.#ending ??= RETIRED;
    await this.#end((server) => server.retire());
  }

  /** Ends it for good, and its processes with all they started. */
  async close(): Promise<void> {
    this.#ending ??= BOARD_CLOSED;
    await this.#end((server) => server.close());
  }

  async #end(end: (server: UpstreamServer) => Promise<void>): Promise<void> {
    this.users?.close();
    await Promise.all(this.#all().map(end));
    await this.#commons.resources.close();
  }

  #all(): UpstreamServer[] {
    return [...[...this.#members.values()].map(({ server }) => server), ...this.#leaving.keys()];
  }

  /** The process for a caller with these folders; its calls start it. */
  #serverFor(client: CallClient, roots: readonly ClientRoot[] | undefined): UpstreamServer {
    const key = this.#keyOf(client, roots);
    const known = this.#members.get(key);
    if (known?.person !== undefined) known.person.client = client;
    if (known !== undefined) return known.server;
    if (this.#ending !== undefined) throw explainUnavailable(this.settings, this.#ending);
    const taken = this.#takeUnasked(client, roots) ?? this.#takeFresh(roots);
    const { server, person } = taken ?? this.#create(client, roots);
    this.#members.set(key, { server, client, person });
    if (this.settings.share === 'session') {
      client.ended?.addEventListener('abort', () => this.#drop(server), { once: true });
    }
    return server;
  }

  #keyOf(client: CallClient, roots: readonly ClientRoot[] = []): string {
    const user = this.users?.keyOf(client) ?? client.user;
    const folders = roots.length === 0 ? '' : JSON.stringify(roots);
    switch (this.settings.share) {
      case 'board':
        return folders;
      case 'user':
        return `${folders}\n${user}`;
      case 'session':
        return `${folders}\n${JSON.stringify([user, client.session])}`;
      default:
        return this.settings.share satisfies never;
    }
  }

  /** The process of the same callers that was not told of folders yet: it gets these. */
  #takeUnasked(client: CallClient, roots: readonly ClientRoot[] | undefined): Member | undefined {
    const key = this.#keyOf(client);
    const member = this.#members.get(key);
    if (roots === undefined || member?.server.take(roots) !== true) return undefined;
    this.#members.delete(key);
    return member;
  }

  /** The process that was started for its list of tools: the first caller gets it, as it has seen no other. */
  #takeFresh(roots: readonly ClientRoot[] | undefined): Member | undefined {
    const key = this.#keyOf(BOARD);
    const member = this.#members.get(key);
    const isOpen = this.settings.share === 'board' || !namesUser(this.settings);
    if (!isOpen || member?.server.isFresh !== true || !member.server.take(roots)) return undefined;
    this.#members.delete(key);
    return member;
  }

  #create(client: CallClient, roots: readonly ClientRoot[] | undefined): Omit<Member, 'client'> {
    const { users, settings } = this;
    const { user } = client;
    this.#makeRoom(user);
    const owner = settings.share === 'board' ? '' : user;
    const person = users && { client, tokens: undefined };
    // A start that names the user may fail for one user alone, who must not put off those of others.
    const isOwn = owner !== '' && namesUser(settings);
    const own = isOwn ? { ...this.#commons, starts: createRestartSchedule(this.#commons.clock) } : this.#commons;
    const commons = person === undefined ? own : (users?.commonsFor(person, own) ?? own);
    return { server: new UpstreamServer(settingsFor(settings, owner), commons, roots), person };
  }

  /**
   * Ends a process for the sake of a new one when there are too many: of those that are idle, one of the user who has the
   * most, so that no user takes those of the others; among these the one idle longest. Throws when all are in use, and when
   * this user has calls under way in so many that the rest is for others.
   */
  #makeRoom(user: string): void {
    for (const { server } of this.#members.values()) if (server.isOver) this.#drop(server);
    const { maxInstances, name } = this.settings;
    const members = [...this.#members.values()];
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
    if (first !== undefined) return this.#drop(first.server);
    const message = `The MCP server "${name}" runs ${maxInstances} times already, for callers that all use it now (max_instances). Try again when one of their calls is over.`;
    throw new ToolError({ code: 'upstream_unavailable', message });
  }

  /** A process asks for folders. With those that it got it is for callers with the same. */
  #place(server: ServerProcess, roots: readonly ClientRoot[] | undefined): void {
    this.#asksRoots = true;
    const [key, member] = this.#find(server) ?? [];
    if (key === undefined || member === undefined || roots === undefined || roots.length === 0) return;
    const own = this.#keyOf(member.client, roots);
    if (this.#members.has(own)) return this.#drop(member.server);
    this.#members.delete(key);
    this.#members.set(own, member);
  }

  #find(server: ServerProcess): [string, Member] | undefined {
    return [...this.#members].find(([, member]) => member.server === server);
  }

  /** Ends a process once its calls are over; its next caller gets another. */
  #drop(server: UpstreamServer): void {
    const [key] = this.#find(server) ?? [];
    if (key === undefined) return;
    this.#members.delete(key);
    const end = server.retire().finally(() => {
      this.#leaving.delete(server);
      this.#pastStarts += server.status.starts;
    });
    this.#leaving.set(server, end);
  }

  /** Waits while there are too many processes, with those that take their time to end. One that finishes a call is not waited for. */
  async #room(): Promise<void> {
    for (;;) {
      const ending = [...this.#leaving].flatMap(([server, end]) => (server.isBusy ? [] : [end]));
      if (ending.length === 0 || this.#members.size + ending.length <= this.settings.maxInstances) return;
      await Promise.race(ending);
    }
  }
}
