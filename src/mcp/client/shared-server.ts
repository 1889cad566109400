import type { UserAuth } from './oauth/user-auth.ts';
import type { Manifest } from './offers/manifest-cache.ts';
import { NO_RESOURCES, type ResourceOffer } from './offers/offered-items.ts';
import {
  createServerCommons,
  runsPackage,
  type ServerCommons,
  type ServerProcess,
  type SessionWork,
} from './server-commons.ts';
import { rootsOf } from './server-folders.ts';
import { BOARD_CLIENT, ServerMembers } from './server-members.ts';
import { namesUser, type ServerSettings } from './server-settings.ts';
import type { PackageRule } from './packages/package-rule.ts';
import type { ServerMay } from './session/agree-on-era.ts';
import type { ServerRequestBody, UpstreamCall } from './session/call-tool.ts';
import type { StartFailure, StartFailures } from './start-failures.ts';
import type { JsonObject } from './transports/transport.ts';
import type { UpstreamResources } from './upstream-resources.ts';
import type { UpstreamServer, UpstreamStatus } from './upstream-server.ts';
import type { PackagePin } from '../../guard/lock/lock-file.ts';
import type { CallClient, ClientRoot } from '../../tool/calls/call-owner.ts';
import type { OfferLog } from '../../tool/offers.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { ToolResult } from '../../tool/tool-result.ts';

type Offer =
  | { readonly type: 'known'; readonly manifest: Manifest; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly message: string };

/** One server of the config: a process or connection for all callers, or one for each user or session. */
export class SharedServer {
  readonly settings: ServerSettings;
  /** Tools, and prompts under their `promptKey`, that must not be used, with reasons. Set by the board's lock. */
  denied: ReadonlyMap<string, string> = new Map();
  /** Requests that it must not send to callers, in addition to its settings. Set by the board's policy. */
  refused: ReadonlySet<keyof ServerMay> = new Set();
  /** The package that its command must start. Set by the board's lock. */
  packageRule: PackageRule | undefined;
  /** Returns the board's address of a resource. Set by the board. */
  addressOf: ((uri: string) => string) | undefined;
  /** Its instructions for the board's clients, if its entry and the lock allow them. */
  instructions: string | undefined;
  onOffer: ((server: SharedServer) => Promise<void>) | undefined;
  /** Called when the resources of one user changed. */
  onResources: (() => void) | undefined;
  /** Called with log lines outside of calls. */
  onLog: ((line: OfferLog) => void) | undefined;
  /** Called when it did not start or did not list its tools. */
  onFailure: ((server: SharedServer, failure: StartFailure) => void) | undefined;
  /** Set if each user logs in. */
  readonly users: UserAuth | undefined;
  readonly #failures: StartFailures;
  readonly #commons: ServerCommons;
  readonly #processes: ServerMembers;
  readonly #followers = new ResourceFollowers();
  /** True after one of its processes asked for folders. */
  #asksRoots = false;
  #calls = 0;
  #calledAt: number | undefined;

  constructor(settings: ServerSettings, resources: UpstreamResources, users?: UserAuth) {
    this.settings = settings;
    this.users = users;
    this.#processes = new ServerMembers({ settings, users, commons: () => this.#commons });
    users?.follow(this.#processes.members, {
      end: (server) => this.#processes.drop(server),
      open: (client) => this.#processes.serverFor(client, undefined).open(),
    });
    const made = createServerCommons(settings, resources, {
      onOffer: async () => this.onOffer?.(this),
      onResources: () => this.onResources?.(),
      onFailure: (failure) => this.onFailure?.(this, failure),
      packageRule: () => this.packageRule,
      room: () => this.#processes.room(),
      refusal: (tool) => this.denied.get(tool),
      onRoots: (server, roots) => {
        this.#asksRoots = true;
        this.#processes.place(server, roots);
      },
      may: () => this.may,
      ownerOf: (server) => this.#ownerOf(server),
      onResourceUpdated: (server, uri) => this.#followers.notify(server, uri),
      onLog: (server, level, text) => {
        const owner = this.#processes.find(server)?.[1].client ?? BOARD_CLIENT;
        const isFor = (client: CallClient): boolean => this.#processes.keyOf(client) === this.#processes.keyOf(owner);
        this.onLog?.({ server: settings.name, level, text, isFor });
      },
    });
    this.#commons = made.commons;
    this.#failures = made.failures;
  }

  /** Its offer when it was last read, in this or an earlier run. */
  get manifest(): Manifest | undefined {
    return this.#commons.offer.manifest;
  }

  /** The changes in its tools since a person last reviewed them. */
  get changes(): string | undefined {
    return this.#commons.offer.changes;
  }

  readonly markSeen = (): void => this.#commons.offer.markSeen();

  get status(): ServerStatus {
    const processes = this.#processes.all();
    const joined = joinStatus(
      processes.map(({ status }) => status),
      { failure: this.#failures.last, pastStarts: this.#processes.pastStarts },
    );
    const isBusy = processes.some((server) => server.isBusy);
    return { ...joined, calls: this.#calls, calledAt: this.#calledAt, isBusy };
  }

  get faults(): readonly string[] {
    return this.#commons.offer.faults;
  }

  /** Returns its package for the lock: that of its last process, or the locked one of a server that was not started. */
  packagePin(locked: PackagePin | undefined): PackagePin | undefined {
    return this.#commons.packagePin?.() ?? (runsPackage(this.settings) ? locked : undefined);
  }

  /** Milliseconds until a board may start it by itself after failures in this or earlier runs. */
  get delay(): number {
    return this.#failures.delay;
  }

  /** False in the first moments after a failure. */
  get canStart(): boolean {
    return this.#commons.starts.delay() === 0 && this.#processes.ending === undefined;
  }

  /** The board's services for calls. */
  get host(): Pick<UpstreamResources, 'ask' | 'redact'> {
    return this.#commons.resources;
  }

  /** Starts it if needed and reads its offer. Never rejects. */
  async ask(): Promise<Offer> {
    try {
      await this.#processes.forBoard().open();
      const { manifest, faults } = this.#commons.offer;
      if (manifest !== undefined) return { type: 'known', manifest, faults };
      return { type: 'failed', message: 'It offers nothing.' };
    } catch (error) {
      return { type: 'failed', message: this.host.redact(messageOf(error)) };
    }
  }

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

  /** Returns the resources that a caller sees: those that its own process listed last, or the common ones. */
  resourcesFor(client: CallClient): ResourceOffer {
    const { manifest } = this;
    if (manifest === undefined) return NO_RESOURCES;
    if (this.settings.share === 'board') return manifest.common;
    const seen = this.#processes.findFor(client)?.resources;
    if (seen !== undefined) return seen;
    if (client.user === '') return manifest.own ?? manifest.common;
    // If the command names the user, other users' resources are private.
    return namesUser(this.settings) ? NO_RESOURCES : manifest.common;
  }

  /** Calls one of its tools. Throws or rejects with a `ToolError` if the call fails on the way. */
  call(call: UpstreamCall): Promise<ToolResult> {
    this.#calls++;
    this.#calledAt = Date.now();
    return this.#route(call, (session, taskId) => session.call(call, taskId));
  }

  /** Sends another request for a caller; `tool` of the call names the request. Throws as `call` does. */
  async request(call: UpstreamCall, body: ServerRequestBody): Promise<JsonObject> {
    return this.#route(call, (session) => session.request(call, body));
  }

  /** Calls `listener` when a resource changes on the caller's process, until the returned function is called. Throws as `call` does. */
  async follow(client: CallClient, uri: string, listener: () => void): Promise<() => void> {
    const server = this.#processes.findFor(client) ?? this.#processes.serverFor(client, undefined);
    return this.#followers.add(server, uri, listener);
  }

  #ownerOf(server: ServerProcess): 'common' | 'own' | 'other' {
    if (this.settings.share === 'board' || server.isFresh) return 'common';
    return this.#processes.find(server)?.[1].client.user === '' ? 'own' : 'other';
  }

  /** Connects the user of a call, who is asked to log in if needed. Throws as `call` does. */
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
    const server = this.#processes.serverFor(call.client, roots);
    if (!server.isOutdated(call.tool)) return server.call(routed);
    // The lock and the policy judged the definition of another process, so this caller gets that process too.
    this.#processes.drop(server);
    return this.#processes.serverFor(call.client, roots).call(routed);
  }

  async retire(): Promise<void> {
    await this.#end('retire');
  }

  async close(): Promise<void> {
    await this.#end('close');
  }

  async #end(way: 'retire' | 'close'): Promise<void> {
    this.users?.close();
    await this.#processes.end(way);
    await this.#commons.resources.close();
  }
}

/** A listener for one resource on one process. */
interface Follower {
  readonly server: UpstreamServer;
  readonly uri: string;
  readonly listener: () => void;
}

/** Listeners for resources of a server, each on the process of its caller. */
class ResourceFollowers {
  readonly #followers = new Set<Follower>();

  /** Follows a resource until the returned function is called. Rejects if the process cannot be started. */
  async add(server: UpstreamServer, uri: string, listener: () => void): Promise<() => void> {
    const follower = { server, uri, listener };
    this.#followers.add(follower);
    try {
      const stop = await server.followResource(uri);
      return () => {
        if (this.#followers.delete(follower)) stop();
      };
    } catch (error) {
      this.#followers.delete(follower);
      throw error;
    }
  }

  /** Notifies the listeners of a changed resource. */
  notify(server: ServerProcess, uri: string): void {
    for (const follower of this.#followers) if (follower.server === server && follower.uri === uri) follower.listener();
  }
}

/** The combined state of a server's processes. */
export interface ServerStatus extends UpstreamStatus {
  /** Running processes or connections. */
  readonly instances: number;
  /** The failure of its last start, in this or an earlier run; `undefined` if it worked since. */
  readonly failure: StartFailure | undefined;
  /** The number of calls in this run of the board. */
  readonly calls: number;
  /** The start of the last one, in milliseconds since 1970. */
  readonly calledAt: number | undefined;
  /** True while a call runs. */
  readonly isBusy: boolean;
}

/** The combined state is the first of these that a process has. */
const STATES = ['running', 'starting', 'failing'] as const;

function joinStatus(
  all: readonly UpstreamStatus[],
  { failure, pastStarts }: { readonly failure: StartFailure | undefined; readonly pastStarts: number },
): Omit<ServerStatus, 'calls' | 'calledAt' | 'isBusy'> {
  const running = all.filter(({ state }) => state === 'running');
  const asleep = failure === undefined ? 'stopped' : 'failing';
  return {
    state: STATES.find((state) => all.some((status) => status.state === state)) ?? asleep,
    failure,
    pid: running[0]?.pid,
    starts: all.reduce((sum, { starts }) => sum + starts, pastStarts),
    errors: all.flatMap(({ errors }) => errors),
    instances: running.length,
  };
}
