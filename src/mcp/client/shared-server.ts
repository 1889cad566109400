import type { CallClient, ClientRoot } from '../../tool/call-owner.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Manifest } from './manifest-cache.ts';
import { OfferedTools } from './offered-tools.ts';
import { createRestartSchedule } from './restart-schedule.ts';
import type { ServerSettings } from './server-settings.ts';
import type { UpstreamCall } from './session/call-tool.ts';
import type { TransportFailure } from './transports/transport.ts';
import { UPSTREAM_CLOCK } from './upstream-clock.ts';
import { tokensFor, type UpstreamResources } from './upstream-resources.ts';
import {
  BOARD_CLOSED,
  explainUnavailable,
  RETIRED,
  type ServerCommons,
  UpstreamServer,
  type UpstreamStatus,
} from './upstream-server.ts';

/** What a server offers, or why that is not known. */
export type Offer =
  | { readonly type: 'known'; readonly manifest: Manifest; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly message: string };

/** How a server is doing, all its processes taken together. */
export interface ServerStatus extends UpstreamStatus {
  /** The processes of it that run, or the connections to it. */
  readonly instances: number;
}

/** Who uses the process that only lists tools: the board itself. */
const BOARD = '';
/** Of the states that its processes are in, a server shows the first. */
const STATES = ['running', 'starting', 'failing'] as const;

/** One server of the config: a process or connection for all callers, or one for each user or session. */
export class SharedServer {
  readonly settings: ServerSettings;
  /** Tools that must not be called, and why; the board's lock fills it. */
  denied: ReadonlyMap<string, string> = new Map();
  /** What it says about itself as a whole, for the clients of the board, where its entry and the lock let that pass. */
  instructions: string | undefined;
  /** Called, and waited for, when the server offers something else than before. */
  onOffer: ((server: SharedServer) => Promise<void>) | undefined;
  readonly #commons: ServerCommons;
  /** By who shares them. */
  readonly #members = new Map<string, UpstreamServer>();
  readonly #leaving = new Set<UpstreamServer>();
  #pastStarts = 0;
  /** Whether one of its processes has asked for folders. */
  #asksRoots = false;
  /** Why none of it is started any more. */
  #ending: TransportFailure | undefined;

  constructor(settings: ServerSettings, resources: UpstreamResources) {
    this.settings = settings;
    const { cache, clock = UPSTREAM_CLOCK } = resources;
    const redact = (text: string): string => resources.redact(text);
    const onChange = async (): Promise<void> => this.onOffer?.(this);
    this.#commons = {
      resources,
      clock,
      tokens: tokensFor(settings, resources),
      offer: new OfferedTools({ settings, cache, clock, redact, onChange }),
      starts: createRestartSchedule(clock),
      habits: { asking: new Set(), quiet: new Set() },
      refusal: (tool) => this.denied.get(tool),
      onRoots: (member, roots) => this.#place(member, roots),
    };
  }

  /** What it offered when it was last asked, here or in an earlier run. */
  get manifest(): Manifest | undefined {
    return this.#commons.offer.manifest;
  }

  /** What it says of its tools otherwise than when it was last asked, where this process is the one to tell. */
  get changes(): string | undefined {
    return this.#commons.offer.changes;
  }

  get status(): ServerStatus {
    const all = [...this.#members.values(), ...this.#leaving].map(({ status }) => status);
    const running = all.filter(({ state }) => state === 'running');
    return {
      state: STATES.find((state) => all.some((status) => status.state === state)) ?? 'stopped',
      pid: running[0]?.pid,
      starts: all.reduce((sum, { starts }) => sum + starts, this.#pastStarts),
      errors: all.flatMap(({ errors }) => errors),
      instances: running.length,
    };
  }

  /** Takes the board's secrets out of a text. */
  redact(text: string): string {
    return this.#commons.resources.redact(text);
  }

  /** Starts it if it does not run, and asks what it offers. Never rejects. */
  async ask(): Promise<Offer> {
    try {
      const members = [...this.#members.values()];
      const running = members.find(({ status }) => status.state === 'running');
      await (running ?? this.#memberOf(BOARD)).open();
      const { manifest, faults } = this.#commons.offer;
      if (manifest !== undefined) return { type: 'known', manifest, faults };
      return { type: 'failed', message: 'It offers nothing.' };
    } catch (error) {
      return { type: 'failed', message: this.redact(messageOf(error)) };
    }
  }

  /** Calls one of its tools. Throws a `ToolError` when that fails on the way. */
  async call(call: UpstreamCall): Promise<ToolResult> {
    for (;;) {
      const roots = this.#asksRoots ? ((await call.listener.roots?.()) ?? []) : undefined;
      let member = this.#memberFor(call.client, roots);
      if (member.isOutdated(call.tool)) {
        // The lock and the policy judged the tool as another process offers it: this caller gets that one too.
        this.#drop(member);
        member = this.#memberFor(call.client, roots);
      }
      const result = await member.call(call, roots);
      if (result !== 'misplaced') return result;
    }
  }

  /** Ends it once the calls in flight are over. */
  async retire(): Promise<void> {
    this.#ending ??= RETIRED;
    await this.#end((member) => member.retire());
  }

  /** Ends it for good, and its processes with all they started. */
  async close(): Promise<void> {
    this.#ending ??= BOARD_CLOSED;
    await this.#end((member) => member.close());
  }

  async #end(end: (member: UpstreamServer) => Promise<void>): Promise<void> {
    await Promise.all([...this.#members.values(), ...this.#leaving].map(end));
    await this.#commons.resources.close();
  }

  /** The process for a caller with these folders; its calls start it. */
  #memberFor(client: CallClient, roots: readonly ClientRoot[] | undefined): UpstreamServer {
    const shared = this.#keyOf(client);
    const key = withRoots(shared, roots);
    const known = this.#members.get(key);
    if (known !== undefined) return known;
    const unasked = this.#members.get(shared);
    if (roots !== undefined && unasked?.take(roots) === true) {
      this.#place(unasked, roots);
      return unasked;
    }
    const member = this.#memberOf(key, roots);
    if (this.settings.share === 'session') {
      client.ended?.addEventListener('abort', () => this.#drop(member), { once: true });
    }
    return member;
  }

  #memberOf(key: string, roots?: readonly ClientRoot[]): UpstreamServer {
    const known = this.#members.get(key);
    if (known !== undefined) return known;
    if (this.#ending !== undefined) throw explainUnavailable(this.settings, this.#ending);
    const member = this.#takeFresh(roots) ?? this.#create(roots);
    this.#members.set(key, member);
    return member;
  }

  #create(roots: readonly ClientRoot[] | undefined): UpstreamServer {
    this.#makeRoom();
    return new UpstreamServer(this.settings, this.#commons, roots);
  }

  /** A process has folders from now on: it is for callers with the same. */
  #place(member: UpstreamServer, roots: readonly ClientRoot[] | undefined): void {
    this.#asksRoots = true;
    const key = this.#keyOfMember(member);
    if (key === undefined || roots === undefined || roots.length === 0) return;
    const own = withRoots(key, roots);
    if (this.#members.has(own)) return this.#drop(member);
    this.#members.delete(key);
    this.#members.set(own, member);
  }

  #keyOfMember(member: UpstreamServer): string | undefined {
    return [...this.#members].find(([, other]) => other === member)?.[0];
  }

  /** Ends a process once its calls are over; its next caller gets another. */
  #drop(member: UpstreamServer): void {
    const key = this.#keyOfMember(member);
    if (key === undefined) return;
    this.#members.delete(key);
    this.#leaving.add(member);
    void member.retire().finally(() => {
      this.#leaving.delete(member);
      this.#pastStarts += member.status.starts;
    });
  }

  #keyOf({ user, session }: CallClient): string {
    switch (this.settings.share) {
      case 'board':
        return BOARD;
      case 'user':
        return user;
      case 'session':
        return session === '' ? user : JSON.stringify([user, session]);
      default:
        return this.settings.share satisfies never;
    }
  }

  /** The process that was started for its list of tools: the first caller gets it, as it has seen no other. */
  #takeFresh(roots: readonly ClientRoot[] | undefined): UpstreamServer | undefined {
    const member = this.#members.get(BOARD);
    if (member?.isFresh !== true || !member.take(roots)) return undefined;
    this.#members.delete(BOARD);
    return member;
  }

  /** Throws when there are too many, all of them in use. */
  #makeRoom(): void {
    const idle = [...this.#members.values()].filter(({ isBusy }) => !isBusy);
    for (const member of idle) if (member.isOver) this.#drop(member);
    const { maxInstances, name } = this.settings;
    if (this.#members.size < maxInstances) return;
    const [longest] = idle.toSorted((one, other) => one.lastUsed - other.lastUsed);
    if (longest !== undefined) return this.#drop(longest);
    const message = `The MCP server "${name}" runs ${maxInstances} times already, for callers that all use it now (max_instances). Try again when one of their calls is over.`;
    throw new ToolError({ code: 'upstream_unavailable', message });
  }
}

/** The key of those who share a process and have the same folders. */
function withRoots(key: string, roots: readonly ClientRoot[] = []): string {
  return roots.length === 0 ? key : `${key}\n${JSON.stringify(roots)}`;
}
