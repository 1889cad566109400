import { ToolError } from '../../tool/tool-error.ts';
import { unlessAborted } from '../../platform/unless-aborted.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import { cleanMessage } from '../../pipeline/clean-message.ts';
import type { OAuthTokens } from './oauth/oauth-tokens.ts';
import { type UpstreamCall, callTool } from './session/call-tool.ts';
import { IdleWatch } from './idle-watch.ts';
import type { Manifest } from './manifest-cache.ts';
import { OfferedTools, subscribeToChanges } from './offered-tools.ts';
import { LOGIN_TIMEOUT, type McpSession, openMcpSession } from './session/open-mcp-session.ts';
import { type RestartSchedule, createRestartSchedule } from './restart-schedule.ts';
import { type ServerSettings, describeAddress } from './server-settings.ts';
import { type TextTail, createTextTail } from './transports/text-tail.ts';
import type { TransportFailure } from './transports/transport.ts';
import { UPSTREAM_CLOCK, type UpstreamClock } from './upstream-clock.ts';
import { type UpstreamResources, tokensFor } from './upstream-resources.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** What a server offers, or why that is not known. */
export type Offer =
  | { readonly type: 'known'; readonly manifest: Manifest; readonly faults: readonly string[] }
  | { readonly type: 'failed'; readonly message: string };

/** How a server is doing. */
export interface UpstreamStatus {
  readonly state: 'stopped' | 'starting' | 'running' | 'failing';
  readonly pid: number | undefined;
  /** How often it was started since the board was opened. */
  readonly starts: number;
  /** Its last lines on standard error, without secrets. */
  readonly errors: readonly string[];
}

/** Milliseconds that a call waits for a restart; for a later restart it fails and is told when to try again. */
const MAX_WAIT = 5000;
/** Restarts after crashes without a new call. */
const MAX_RESTARTS = 5;
const BOARD_CLOSED: TransportFailure = { kind: 'unavailable', message: 'its board is closed' };
const RETIRED: TransportFailure = { kind: 'unavailable', message: 'its entry in the config was changed or removed' };

/** One server of the config: started by its first call, watched, restarted, stopped when it is idle. */
export class UpstreamServer {
  readonly settings: ServerSettings;
  /** Tools that must not be called, and why; the board's lock fills it. */
  denied: ReadonlyMap<string, string> = new Map();
  /** Called, and waited for, when the server offers something else than before. */
  onOffer: ((server: UpstreamServer) => Promise<void>) | undefined;
  readonly #resources: UpstreamResources;
  readonly #clock: UpstreamClock;
  readonly #tokens: OAuthTokens | undefined;
  readonly #offer: OfferedTools;
  readonly #errors: TextTail = createTextTail();
  readonly #schedule: RestartSchedule;
  readonly #watch: IdleWatch;
  #session: McpSession | undefined;
  #starting: Promise<McpSession> | undefined;
  #stopping: Promise<void> | undefined;
  #starts = 0;
  #lastFailure: TransportFailure | undefined;
  readonly #closing = new AbortController();
  /** Why it is not started again, once it is closed. */
  #ending: TransportFailure = BOARD_CLOSED;

  constructor(settings: ServerSettings, resources: UpstreamResources) {
    this.settings = settings;
    this.#resources = resources;
    this.#clock = resources.clock ?? UPSTREAM_CLOCK;
    this.#tokens = tokensFor(settings, resources);
    this.#schedule = createRestartSchedule(this.#clock);
    this.#watch = new IdleWatch(this.#clock, settings.idle, () => void this.#stop());
    this.#offer = new OfferedTools({
      settings,
      cache: resources.cache,
      clock: this.#clock,
      redact: (text) => resources.redact(text),
      onChange: async () => this.onOffer?.(this),
    });
  }

  /** What it offered when it was last asked, here or in an earlier run. */
  get manifest(): Manifest | undefined {
    return this.#offer.manifest;
  }

  get status(): UpstreamStatus {
    const asleep = this.#schedule.failures > 0 ? 'failing' : 'stopped';
    const idle = this.#starting === undefined ? asleep : 'starting';
    const state = this.#session === undefined ? idle : 'running';
    return { state, pid: this.#session?.pid, starts: this.#starts, errors: this.#lastErrorLines() };
  }

  /** Takes the board's secrets out of a text. */
  redact(text: string): string {
    return this.#resources.redact(text);
  }

  /** Starts it if need be and asks what it offers. Never rejects. */
  async ask(): Promise<Offer> {
    try {
      await this.#connect();
      const { manifest, faults } = this.#offer;
      if (manifest !== undefined) return { type: 'known', manifest, faults };
      return { type: 'failed', message: 'It offers nothing.' };
    } catch (error) {
      return { type: 'failed', message: this.redact(messageOf(error)) };
    }
  }

  /** Calls one of its tools. Throws a `ToolError` when that fails on the way. */
  async call(call: UpstreamCall): Promise<ToolResult> {
    this.#watch.begin();
    try {
      let taskId: string | undefined;
      for (let attempt = 0; ; attempt++) {
        const session = this.#session ?? (await this.#waitForSession(call.signal));
        const refusal = this.denied.get(call.tool);
        if (refusal !== undefined) throw new ToolError({ code: 'permission_denied', message: refusal });
        const { server } = session;
        const version = server.era === 'modern' ? server.version : undefined;
        const headers = session.isRemote ? call.headers : undefined;
        // Tasks of the newer era are the server's choice, and nothing to ask for.
        const isTask = version === undefined && this.#needsTask(call.tool);
        const outcome = await callTool(session.peer, version, { ...call, headers, isTask, taskId });
        if (outcome.type === 'result') {
          this.#schedule.worked();
          return outcome.result;
        }
        if (outcome.type === 'stale') throw await this.#renew(session);
        // The server refused the request for its session before it ran anything: once more, in the session that follows.
        if (outcome.failure.kind !== 'session-expired' || attempt > 0) throw this.#unavailable(outcome.failure);
        ({ taskId } = outcome);
      }
    } finally {
      this.#watch.end();
    }
  }

  /** Ends it once the calls in flight are over. */
  async retire(): Promise<void> {
    await this.#watch.quiet();
    this.#ending = RETIRED;
    await this.close();
  }

  /** Ends it for good, and the process with all it started. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#watch.release();
    await this.#stop();
    const started = await this.#starting?.catch(() => undefined);
    await started?.close();
    await this.#stopping;
    await this.#resources.close();
  }

  #needsTask(name: string): boolean {
    return this.manifest?.tools.find((tool) => tool.name === name)?.execution !== undefined;
  }

  /** The server wants other headers than the schema said that we know: reads its tools again. */
  async #renew(session: McpSession): Promise<ToolError> {
    await this.#read(session, AbortSignal.timeout(this.settings.startTimeout));
    const message = `The MCP server "${this.settings.name}" changed what this tool takes. Its tools were read again: call it again.`;
    return new ToolError({ code: 'upstream_unavailable', message });
  }

  /** Waits for the one start that is under way, but not past the end of the call. */
  async #waitForSession(signal: AbortSignal): Promise<McpSession> {
    const delay = this.#schedule.delay();
    if (this.#starting === undefined && delay > MAX_WAIT) {
      const again = `It is tried again in ${Math.ceil(delay / 1000)} s.`;
      const failure = this.#lastFailure ?? { kind: 'unavailable', message: 'it did not start' };
      throw this.#unavailable(failure, again);
    }
    return unlessAborted(this.#connect(), signal);
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
    const delay = this.#schedule.delay();
    if (delay > 0) await this.#pause(delay);
    if (this.#closing.signal.aborted) throw this.#unavailable(this.#ending);
    this.#starts++;
    const isPatient = this.#resources.login !== undefined && this.#tokens !== undefined;
    const limit = AbortSignal.timeout(isPatient ? LOGIN_TIMEOUT : this.settings.startTimeout);
    const deadline = AbortSignal.any([limit, this.#closing.signal]);
    let session: McpSession | undefined;
    try {
      const outcome = await openMcpSession({
        settings: this.settings,
        expected: this.manifest?.era,
        signal: deadline,
        errors: this.#errors,
        dispatcher: (url) => this.#resources.dispatcher(url),
        tokens: this.#tokens,
        isPatient,
        onListChanged: () => {
          if (session !== undefined) this.#offer.notice(session, () => this.#session === session);
        },
        onClose: (failure) => this.#handleClose(session, failure),
        onLost: () => this.#handleLost(session),
      });
      if (outcome.type === 'failed') throw this.#unavailable(outcome.failure);
      session = outcome.session;
      // What it offers may have changed since: the board learns that before the first call gets through.
      await this.#read(session, deadline);
    } catch (error) {
      void session?.close();
      this.#schedule.failed();
      if (this.#closing.signal.aborted) throw this.#unavailable(this.#ending);
      if (!limit.aborted) throw error;
      const seconds = this.settings.startTimeout / 1000;
      throw this.#unavailable({ kind: 'unavailable', message: `it was not ready within ${seconds} s (start_timeout)` });
    }
    const opened = session;
    const isCurrent = (): boolean => this.#session === opened;
    this.#session = opened;
    this.#watch.start();
    const onGap = (): void => this.#offer.notice(opened, isCurrent);
    subscribeToChanges(opened, { clock: this.#clock, isCurrent, onGap });
    return opened;
  }

  /** Waits, but not past the end of the board. */
  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#closing;
    const over = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => over.resolve(), { once: true });
    const timer = this.#clock.setTimer(() => over.resolve(), milliseconds);
    await over.promise;
    this.#clock.clearTimer(timer);
  }

  async #read(session: McpSession, signal: AbortSignal): Promise<void> {
    const failure = await this.#offer.read(session, signal);
    if (failure !== undefined) throw this.#unavailable(failure);
  }

  #handleClose(session: McpSession | undefined, failure: TransportFailure): void {
    this.#lastFailure = failure;
    if (session === undefined || this.#session !== session) return;
    this.#session = undefined;
    this.#watch.stop();
    void session.close();
    this.#schedule.failed();
    // One that was in use comes back by itself, unless it keeps failing; another waits for its next call.
    const comesBack = this.#watch.isBusy && this.#schedule.failures <= MAX_RESTARTS;
    if (!this.#closing.signal.aborted && comesBack) void this.#connect().catch(() => {});
  }

  /** Opens another session, one for all calls that were refused, and for what the server tells unasked. */
  #handleLost(session: McpSession | undefined): void {
    if (session === undefined || this.#session !== session) return;
    this.#session = undefined;
    void session.close();
    // A server that keeps forgetting sessions while none is used is left alone until the next call.
    if (!this.#watch.isBusy) this.#schedule.failed();
    if (!this.#closing.signal.aborted && this.#schedule.failures <= MAX_RESTARTS) void this.#connect().catch(() => {});
  }

  #stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#watch.stop();
    session?.peer.close({ kind: 'unavailable', message: 'it was stopped' });
    if (session !== undefined) {
      const stopping = session.close().finally(() => {
        if (this.#stopping === stopping) this.#stopping = undefined;
      });
      this.#stopping = stopping;
    }
    return this.#stopping ?? Promise.resolve();
  }

  #unavailable(failure: TransportFailure, advice?: string): ToolError {
    this.#lastFailure = failure;
    const errors = this.settings.address.type === 'stdio' ? this.#lastErrorLines() : [];
    return explainUnavailable(this.settings, failure, { errors, advice });
  }

  #lastErrorLines(): string[] {
    return this.#errors.lines().map((line) => cleanMessage(this.#resources.redact(line)));
  }
}

/** The error for a call whose server cannot be reached, with the server's own last words. */
function explainUnavailable(
  { name, address }: Pick<ServerSettings, 'name' | 'address'>,
  failure: TransportFailure,
  { errors, advice }: { readonly errors: readonly string[]; readonly advice?: string | undefined },
): ToolError {
  const reason = failure.message.replace(/\.$/, '');
  const said =
    errors.length === 0 ? '' : `\nIts last lines on standard error:\n${errors.map((line) => `  ${line}`).join('\n')}`;
  const what = `The MCP server "${name}" (${describeAddress(address)}) is not available: ${reason}.`;
  return new ToolError({
    code: failure.kind === 'unauthorized' ? 'permission_denied' : 'upstream_unavailable',
    message: cleanMessage(`${what}${advice === undefined ? '' : ` ${advice}`}${said}`),
  });
}
