import type { UserAuth } from './oauth/user-auth.ts';
import type { Manifest } from './offers/manifest-cache.ts';
import { NO_RESOURCES, type ResourceOffer } from './offers/offered-items.ts';
import { createServerCommons, type ServerCommons, type ServerProcess, type SessionWork } from './server-commons.ts';
import { rootsOf } from './server-folders.ts';
import { BOARD_CLIENT, ServerMembers } from './server-members.ts';
import { namesUser, type ServerSettings } from './server-settings.ts';
import type { ServerMay } from './session/agree-on-era.ts';
import type { ServerRequestBody, UpstreamCall } from './session/call-tool.ts';
import type { StartFailure, StartFailures } from './start-failures.ts';
import type { JsonObject } from './transports/transport.ts';
import type { UpstreamResources } from './upstream-resources.ts';
import type { UpstreamServer, UpstreamStatus } from './upstream-server.ts';
import type { CallClient, ClientRoot } from '../../tool/calls/call-owner.ts';
import type { OfferLog } from '../../tool/offers.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { ToolResult } from '../../tool/tool-result.ts';

/** A server's offer, or the reason why it is not known. */
type Offer =
  | { readonly type: 'known'; readonly manifest: Manifest; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly message: string };

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
  readonly #commons: ServerCommons;
  readonly #processes: ServerMembers;
  /** Listeners for changes of resources. */
  readonly #followers = new ResourceFollowers();
  /** True when one of its processes has asked for folders. */
  #asksRoots = false;

  /** With `users` each user logs in. */
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
      room: () => this.#processes.room(),
      refusal: (tool) => this.denied.get(tool),
      onRoots: (server, roots) => {
        this.#asksRoots = true;
        this.#processes.place(server, roots);
      },
      may: () => this.may,
      ownerOf: (server) => this.#ownerOf(server),
      onResourceUpdated: (server, uri) => this.#followers.tell(server, uri),
      onLog: (server, level, text) => {
        const owner = this.#processes.find(server)?.[1].client ?? BOARD_CLIENT;
        const isFor = (client: CallClient): boolean => this.#processes.keyOf(client) === this.#processes.keyOf(owner);
        this.onLog?.({ server: settings.name, level, text, isFor });
      },
    });
    this.#commons = made.commons;
    this.#failures = made.failures;
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
    const all = this.#processes.all().map(({ status }) => status);
    return joinStatus(all, { failure: this.#failures.last, pastStarts: this.#processes.pastStarts });
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
    return this.#commons.starts.delay() === 0 && this.#processes.ending === undefined;
  }

  /** The board, as its calls use it. */
  get host(): Pick<UpstreamResources, 'ask' | 'redact'> {
    return this.#commons.resources;
  }

  /** Starts it if it does not run, and asks what it offers. Never rejects. */
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
    const seen = this.#processes.findFor(client)?.resources;
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
    const server = this.#processes.findFor(client) ?? this.#processes.serverFor(client, undefined);
    return this.#followers.add(server, uri, hear);
  }

  #ownerOf(server: ServerProcess): 'common' | 'own' | 'other' {
    if (this.settings.share === 'board' || server.isFresh) return 'common';
    return this.#processes.find(server)?.[1].client.user === '' ? 'own' : 'other';
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
    const server = this.#processes.serverFor(call.client, roots);
    if (!server.isOutdated(call.tool)) return server.call(routed);
    // The lock and the policy judged the tool as another process offers it: this caller gets that one too.
    this.#processes.drop(server);
    return this.#processes.serverFor(call.client, roots).call(routed);
  }

  /** Ends it once the calls in flight are over. */
  async retire(): Promise<void> {
    await this.#end('retire');
  }

  /** Ends it for good, and its processes with all they started. */
  async close(): Promise<void> {
    await this.#end('close');
  }

  async #end(way: 'retire' | 'close'): Promise<void> {
    this.users?.close();
    await this.#processes.end(way);
    await this.#commons.resources.close();
  }
}

/** One who hears of changes of a resource on a process. */
interface Follower {
  readonly server: UpstreamServer;
  readonly uri: string;
  readonly hear: () => void;
}

/** Those who follow resources of a server, each on the process of its caller. */
class ResourceFollowers {
  readonly #followers = new Set<Follower>();

  /** Follows a resource until the function that it gives is called. Rejects when the process cannot be started. */
  async add(server: UpstreamServer, uri: string, hear: () => void): Promise<() => void> {
    const follower = { server, uri, hear };
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

  /** A process says that a resource changed. */
  tell(server: ServerProcess, uri: string): void {
    for (const follower of this.#followers) if (follower.server === server && follower.uri === uri) follower.hear();
  }
}

/** The state of a server, all its processes taken together. */
export interface ServerStatus extends UpstreamStatus {
  /** The processes of it that run, or the connections to it. */
  readonly instances: number;
  /** The failure of its last start, here or in an earlier run; `undefined` when it worked since. */
  readonly failure: StartFailure | undefined;
}

/** Of the states that its processes are in, a server shows the first. */
const STATES = ['running', 'starting', 'failing'] as const;

/** Derives the state of a server from the states of its processes. */
function joinStatus(
  all: readonly UpstreamStatus[],
  { failure, pastStarts }: { readonly failure: StartFailure | undefined; readonly pastStarts: number },
): ServerStatus {
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
