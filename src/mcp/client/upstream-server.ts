import type { ClientRoot } from '../../tool/calls/call-owner.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import { cleanMessage } from '../../pipeline/to-tool-error.ts';
import { ChangeFeed } from './offers/change-feed.ts';
import type { ResourceOffer } from './offers/offered-items.ts';
import { createRestartSchedule, IdleWatch, type RestartSchedule, type UpstreamClock } from './upstream-timing.ts';
import type { ResourceOwner, ServerOffers } from './offers/server-offers.ts';
import type { UpstreamCall } from './session/call-tool.ts';
import type { McpSession } from './session/open-mcp-session.ts';
import { createTextTail, explainUnavailable, type TextTail } from './explain-unavailable.ts';
import type { RoutedCall, ServerCommons, WorkOutcome } from './server-commons.ts';
import { ServerFolders } from './server-folders.ts';
import type { ServerSettings } from './server-settings.ts';
import type { TransportFailure } from './transports/transport.ts';

/** The state of one process. */
export interface UpstreamStatus {
  readonly state: 'stopped' | 'starting' | 'running' | 'failing';
  readonly pid: number | undefined;
  readonly starts: number;
  readonly errors: readonly string[];
}

/** Milliseconds that a call waits for a restart; if it takes longer, the call fails and names the delay. */
const MAX_WAIT = 5000;
/** Lines of standard error in which the reason of an exit is searched. */
const ERROR_LINES = 60;
/** Restarts after crashes without a new call. */
const MAX_RESTARTS = 5;
export const BOARD_CLOSED: TransportFailure = { kind: 'unavailable', message: 'its board is closed' };
export const RETIRED: TransportFailure = {
  kind: 'unavailable',
  message: 'its entry in the config was changed or removed',
};

/** One process of a server, or one connection: started by its first call, restarted after crashes, stopped when idle. */
export class UpstreamServer {
  readonly settings: ServerSettings;
  readonly #commons: ServerCommons;
  readonly #clock: UpstreamClock;
  readonly #offer: ServerOffers;
  readonly #errors: TextTail = createTextTail();
  readonly #schedule: RestartSchedule;
  readonly #watch: IdleWatch;
  readonly #folders: ServerFolders;
  #session: McpSession | undefined;
  #feed: ChangeFeed | undefined;
  #resources: ResourceOffer | undefined;
  /** Followed resources, each with its number of followers. */
  readonly #followed = new Map<string, number>();
  #starting: Promise<McpSession> | undefined;
  #stopping: Promise<void> | undefined;
  #starts = 0;
  #lastFailure: TransportFailure | undefined;
  readonly #closing = new AbortController();
  /** The reason why it is not started again after closing. */
  #ending: TransportFailure = BOARD_CLOSED;

  /** `roots`: reserved for callers with these folders. */
  constructor(settings: ServerSettings, commons: ServerCommons, roots?: readonly ClientRoot[]) {
    this.settings = settings;
    this.#commons = commons;
    this.#folders = new ServerFolders(roots, {
      onAsked: () => commons.onRoots(this, undefined),
      onTaken: (taken) => commons.onRoots(this, taken),
    });
    this.#clock = commons.clock;
    this.#offer = commons.offer;
    this.#schedule = createRestartSchedule(this.#clock);
    this.#watch = new IdleWatch(this.#clock, settings.idle, () => void this.#stop());
  }

  get status(): UpstreamStatus {
    const asleep = this.#schedule.failures > 0 ? 'failing' : 'stopped';
    const idle = this.#starting === undefined ? asleep : 'starting';
    const state = this.#session === undefined ? idle : 'running';
    return { state, pid: this.#session?.pid, starts: this.#starts, errors: this.#lastErrorLines() };
  }

  get isBusy(): boolean {
    return this.#watch.isBusy;
  }

  /** When its last call ended. */
  get lastUsed(): number {
    return this.#watch.lastUsed;
  }

  /** True until the first call. */
  get isFresh(): boolean {
    return !this.#watch.wasUsed;
  }

  /** True when it has stopped and can be forgotten. */
  get isOver(): boolean {
    return !this.isBusy && this.status.state === 'stopped';
  }

  isOutdated(tool: string): boolean {
    return this.#session !== undefined && this.#offer.isOutdated(this.#session, tool);
  }

  async open(): Promise<void> {
    await this.#connect();
  }

  take(roots: readonly ClientRoot[] | undefined): boolean {
    return this.#folders.take(roots);
  }

  get resources(): ResourceOffer | undefined {
    return this.#resources;
  }

  /** Follows a resource, and keeps running for it, until the returned function is called. */
  async followResource(uri: string): Promise<() => void> {
    this.#followed.set(uri, (this.#followed.get(uri) ?? 0) + 1);
    const release = this.#watch.hold();
    const stop = (): void => {
      const left = (this.#followed.get(uri) ?? 1) - 1;
      if (left > 0) this.#followed.set(uri, left);
      else this.#followed.delete(uri);
      if (left <= 0) this.#feed?.unfollow(uri);
      release();
    };
    try {
      await this.#connect();
      this.#feed?.follow(uri);
      return stop;
    } catch (error) {
      stop();
      throw error;
    }
  }

  /**
   * Runs work for a caller. Another process takes the call if this one got the folders of other callers. Throws a `ToolError` if it
   * fails on the way.
   */
  async call<T>({ call, roots, work, elsewhere }: RoutedCall<T>): Promise<T> {
    this.#watch.begin();
    this.#folders.enter(call);
    try {
      let taskId: string | undefined;
      for (let losses = 0; ;) {
        const session = this.#session ?? (await this.#waitForSession(call));
        const fits = this.#folders.fits(roots);
        if (!(typeof fits === 'boolean' ? fits : await unlessAborted(fits, call.signal))) return elsewhere();
        // Stateless servers name the call of each question.
        const turn = session.server.era === 'legacy' ? session.turns.enter(call) : undefined;
        const entered = turn instanceof Promise ? await turn : turn;
        let outcome: WorkOutcome<T> | undefined;
        try {
          // The session may have ended while the call waited for its turn.
          if (this.#session !== session) continue;
          const refusal = this.#commons.refusal(call.tool);
          if (refusal !== undefined) throw new ToolError({ code: 'permission_denied', message: refusal });
          outcome = await work(session, taskId);
        } finally {
          if (entered !== undefined) session.turns.leave(entered, outcome?.type === 'result');
        }
        if (outcome.type === 'result') {
          this.#schedule.worked();
          return outcome.result;
        }
        if (outcome.type === 'stale') throw await this.#renew(session);
        // The server refused the request because of its session and ran nothing: try once more in the next session.
        if (outcome.failure.kind !== 'session-expired' || losses++ > 0) throw this.#unavailable(outcome.failure);
        ({ taskId } = outcome);
      }
    } finally {
      this.#folders.leave(call);
      this.#watch.end();
    }
  }

  async retire(): Promise<void> {
    await this.#watch.quiet();
    this.#ending = RETIRED;
    await this.close();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#watch.release();
    await this.#stop();
    const started = await this.#starting?.catch(() => undefined);
    await started?.close();
    await this.#stopping;
  }

  /** The server requires other headers than the known schema: reads its tools again. */
  async #renew(session: McpSession): Promise<ToolError> {
    await this.#read(session, AbortSignal.timeout(this.settings.startTimeout));
    const message = `The MCP server "${this.settings.name}" changed what this tool takes. Its tools were read again: call it again.`;
    return new ToolError({ code: 'upstream_unavailable', message });
  }

  /**
   * Waits for the current start, but not longer than the call. The start has its own timeout, which does not count toward the call's:
   * the caller learns why a server does not start instead of getting a timeout. The time of a person who logs in does count.
   */
  async #waitForSession(call: Pick<UpstreamCall, 'signal' | 'untimed'>): Promise<McpSession> {
    const delay = this.#delay();
    if (this.#starting === undefined && delay > MAX_WAIT) {
      const again = `It is tried again in ${Math.ceil(delay / 1000)} s.`;
      const failure = this.#lastFailure ??
        this.#commons.startFailure ?? { kind: 'unavailable', message: 'it did not start' };
      throw this.#unavailable(failure, again);
    }
    const session = unlessAborted(this.#connect(), call.signal);
    const { address } = this.settings;
    const mayAskPerson = address.type !== 'stdio' && this.#commons.resources.ask.redirectUri !== undefined;
    return mayAskPerson ? session : call.untimed(session);
  }

  #delay(): number {
    return Math.max(this.#schedule.delay(), this.#commons.starts.delay());
  }

  #connect(): Promise<McpSession> {
    if (this.#session !== undefined) return Promise.resolve(this.#session);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<McpSession> {
    await this.#stopping;
    const delay = this.#delay();
    if (delay > 0) await this.#pause(delay);
    await this.#commons.room();
    if (this.#closing.signal.aborted) throw this.#unavailable(this.#ending);
    this.#starts++;
    this.#folders.restart();
    const { resources, starts, habits } = this.#commons;
    const { openMcpSession, loginTimeout, tokens } = await this.#commons.talk();
    const isPatient = resources.ask.redirectUri !== undefined && tokens !== undefined;
    let limit: AbortSignal | undefined;
    let session: McpSession | undefined;
    let gone: TransportFailure | undefined;
    try {
      const settings = await this.#launch();
      limit = AbortSignal.timeout(isPatient ? loginTimeout : this.settings.startTimeout);
      const deadline = AbortSignal.any([limit, this.#closing.signal]);
      const outcome = await openMcpSession({
        settings,
        expected: this.#offer.manifest?.era,
        signal: deadline,
        errors: this.#errors,
        dispatcher: (url) => resources.dispatcher(url),
        tokens,
        isPatient,
        habits,
        clock: this.#clock,
        onRoots: (listener) => this.#folders.ask(listener, () => session?.peer),
        may: this.#commons.may(),
        onListChanged: () => {
          const changed = session;
          if (changed !== undefined) this.#notice(changed);
        },
        onResourceUpdated: (uri) => this.#commons.onResourceUpdated(this, uri),
        onLog: (level, text) => this.#commons.onLog(this, level, text),
        onClose: (failure) => {
          gone = failure;
          this.#handleClose(session, failure);
        },
        onLost: () => {
          gone = { kind: 'session-expired', message: 'it has forgotten the session' };
          this.#handleLost(session);
        },
      });
      if (outcome.type === 'failed') throw this.#unavailable(outcome.failure);
      session = outcome.session;
      // Its offer may have changed: the board applies that before the first call.
      await this.#read(session, deadline);
      // It may have ended meanwhile.
      if (gone !== undefined) throw this.#unavailable(gone);
    } catch (error) {
      if (session !== undefined) this.#offer.forget(session);
      await session?.close({ patience: 0 });
      // A missing login must not delay the start after the login.
      if (this.#lastFailure?.loginUrl === undefined) {
        this.#schedule.failed();
        starts.failed();
      }
      this.#commons.startFailure = this.#lastFailure;
      if (this.#closing.signal.aborted) throw this.#unavailable(this.#ending);
      const late = `it was not ready within ${this.settings.startTimeout / 1000} s (start_timeout)`;
      const failure = limit?.aborted === true ? this.#unavailable({ kind: 'unavailable', message: late }) : error;
      this.#commons.onFailure(messageOf(failure));
      throw failure;
    }
    starts.worked();
    this.#commons.onStart();
    const opened = session;
    const isCurrent = (): boolean => this.#session === opened;
    this.#session = opened;
    this.#watch.start();
    const subscriber = { clock: this.#clock, isCurrent, onGap: () => this.#notice(opened) };
    this.#feed = new ChangeFeed(opened, subscriber, this.#followed.keys());
    return opened;
  }

  /** Finds the program to start. An installation may take as long as a start, and continues afterwards. */
  async #launch(): Promise<ServerSettings> {
    const signal = AbortSignal.any([AbortSignal.timeout(this.settings.startTimeout), this.#closing.signal]);
    const launch = await this.#commons.launch(this.settings, signal);
    if (launch.type === 'ready') {
      this.#commons.packagePin = launch.pin;
      return launch.settings;
    }
    this.#errors.clear();
    this.#errors.add(launch.said);
    throw this.#unavailable(launch.failure);
  }

  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#closing;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = (): void => resolve();
    signal.addEventListener('abort', stop, { once: true });
    const timer = this.#clock.setTimer(stop, milliseconds);
    await promise;
    this.#clock.clearTimer(timer);
    signal.removeEventListener('abort', stop);
  }

  async #read(session: McpSession, signal: AbortSignal): Promise<void> {
    const failure = await this.#offer.read(session, signal, this.#onResources);
    if (failure !== undefined) throw this.#unavailable(failure);
  }

  #notice(session: McpSession): void {
    this.#offer.notice(session, () => this.#session === session, this.#onResources);
  }

  /** Stores the listed resources and returns their owner. */
  readonly #onResources = (resources: ResourceOffer): ResourceOwner => {
    this.#resources = resources;
    return this.#commons.ownerOf(this);
  };

  #handleClose(session: McpSession | undefined, failure: TransportFailure): void {
    this.#lastFailure = failure;
    if (session === undefined || this.#session !== session) return;
    this.#session = undefined;
    this.#offer.forget(session);
    this.#watch.stop();
    void session.close();
    this.#schedule.failed();
    // A process in use restarts by itself unless it keeps failing; others wait for their next call.
    const mayRestart = this.#watch.isBusy && this.#schedule.failures <= MAX_RESTARTS;
    if (!this.#closing.signal.aborted && mayRestart) void this.#connect().catch(() => {});
  }

  /** Opens one new session for all refused calls and for notifications. */
  #handleLost(session: McpSession | undefined): void {
    if (session === undefined || this.#session !== session) return;
    this.#session = undefined;
    this.#offer.forget(session);
    void session.close();
    // A server that keeps losing unused sessions waits for the next call.
    if (!this.#watch.isBusy) this.#schedule.failed();
    if (!this.#closing.signal.aborted && this.#schedule.failures <= MAX_RESTARTS) void this.#connect().catch(() => {});
  }

  #stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#watch.stop();
    session?.peer.close({ kind: 'unavailable', message: 'it was stopped' });
    if (session !== undefined) {
      this.#offer.forget(session);
      const stopping = session.close().finally(() => {
        if (this.#stopping === stopping) this.#stopping = undefined;
      });
      this.#stopping = stopping;
    }
    return this.#stopping ?? Promise.resolve();
  }

  #unavailable(failure: TransportFailure, advice?: string): ToolError {
    this.#lastFailure = failure;
    const errors = this.settings.address.type === 'stdio' ? this.#lastErrorLines(ERROR_LINES) : [];
    const isInstalled = this.#commons.packagePin !== undefined;
    return explainUnavailable(this.settings, failure, { errors, advice, isInstalled });
  }

  #lastErrorLines(count?: number): string[] {
    return this.#errors.lines(count).map((line) => cleanMessage(this.#commons.resources.redact(line)));
  }
}
