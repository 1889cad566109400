import type { Dispatcher } from 'undici';
import type { ClientRoot } from '../../../tool/calls/call-owner.ts';
import { agreeOnEra, type ServerIntroduction, type ServerMay } from './agree-on-era.ts';
import { answerRequest } from './answer-request.ts';
import {
  callTool,
  sendRequest,
  type ServerCallOutcome,
  type ServerRequestBody,
  type ServerRequestOutcome,
  type UpstreamCall,
} from './call-tool.ts';
import { carriedBytes, withoutBytes } from './read-call-result.ts';
import { HttpTransport } from '../transports/http-transport.ts';
import type { JsonObject, Transport, TransportFailure, TransportHandlers } from '../transports/transport.ts';
import type { OAuthTokens } from '../oauth/oauth-tokens.ts';
import { type AskingHabits, QuestionTurns } from './question-turns.ts';
import { type RequestListener, RpcPeer } from './rpc-peer.ts';
import type { ServerSettings } from '../server-settings.ts';
import { startSse } from '../transports/sse-transport.ts';
import { startStdio } from '../transports/stdio-transport.ts';
import type { TextTail } from '../explain-unavailable.ts';
import type { UpstreamClock } from '../upstream-timing.ts';

/** An open session with a server. */
export interface McpSession {
  readonly peer: RpcPeer;
  /** Decides when calls may be sent, and whose question it is when the server does not say. */
  readonly turns: QuestionTurns;
  readonly server: ServerIntroduction;
  readonly pid: number | undefined;
  /** Calls a tool; `taskId` is the task that already runs the call, if an earlier session was lost. */
  call(call: UpstreamCall, taskId: string | undefined): Promise<ServerCallOutcome>;
  request(call: UpstreamCall, body: ServerRequestBody): Promise<ServerRequestOutcome>;
  /** `patience`: milliseconds for a process to end by itself. */
  close(options?: { readonly patience?: number }): Promise<void>;
}

/** Options and listeners of a session. */
export interface McpSessionOptions {
  readonly settings: ServerSettings;
  readonly expected: 'legacy' | 'modern' | undefined;
  readonly signal: AbortSignal;
  readonly errors: TextTail;
  dispatcher(url: string): Promise<Dispatcher>;
  readonly tokens: OAuthTokens | undefined;
  readonly habits: AskingHabits;
  readonly clock: UpstreamClock;
  /** True when a person may log in meanwhile, which takes time. */
  readonly isPatient: boolean;
  readonly may: ServerMay;
  /** Returns the folders for this session; `listener` is the call in which the server asks, if known. */
  onRoots(listener: RequestListener | undefined): Promise<readonly ClientRoot[]>;
  /** Called when the server announces changed tools, prompts or resources. */
  onListChanged(): void;
  onResourceUpdated(uri: string): void;
  /** Called with log lines outside of calls. */
  onLog(level: string, text: string): void;
  /** Called when the server is gone. */
  onClose(failure: TransportFailure): void;
  /** Called when the running server has lost the session. */
  onLost(): void;
}

export type McpSessionOutcome =
  | { readonly type: 'open'; readonly session: McpSession }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

/** Milliseconds for a server with a handshake to refuse or ignore a stateless request. */
const PROBE_TIMEOUT = 3000;
export const LOGIN_TIMEOUT = 600_000;
/** Status codes with which a server that only supports the transport of 2024 answers a POST. */
const OLDEST_SIGNS: ReadonlySet<number> = new Set([400, 404, 405]);

const LIST_CHANGES: ReadonlySet<string> = new Set(
  ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`),
);

interface Link {
  readonly peer: RpcPeer;
  readonly turns: QuestionTurns;
  readonly transport: Transport;
  readonly pid: number | undefined;
  readonly lost: () => TransportFailure | undefined;
}

/** Starts a server or connects to it, and agrees on a protocol version. Rejects only with the reason of the signal. */
export async function openMcpSession(options: McpSessionOptions): Promise<McpSessionOutcome> {
  const { settings } = options;
  const isOldest = settings.address.type === 'sse';
  const outcome = await attempt(options, isOldest ? 'legacy' : (settings.era ?? options.expected));
  if (outcome.type === 'open') return outcome;
  const { status } = outcome.failure;
  if (!isOldest && status !== undefined && OLDEST_SIGNS.has(status)) {
    const oldest = await attempt(options, 'legacy', true);
    return oldest.type === 'open' ? oldest : outcome;
  }
  const isProbed = settings.era === undefined && options.expected !== 'legacy' && !isOldest;
  // Some servers exit if the first message is not `initialize`.
  return outcome.hasStarted && isProbed ? attempt(options, 'legacy') : outcome;
}

async function attempt(
  options: McpSessionOptions,
  expected: 'legacy' | 'modern' | undefined,
  isOldest: boolean = options.settings.address.type === 'sse',
): Promise<McpSessionOutcome & { readonly hasStarted: boolean }> {
  let isOpen = false;
  options.errors.clear();
  const linked = await link(options, isOldest, {
    onClose: (failure) => {
      if (isOpen) options.onClose(failure);
    },
    onSessionLost: () => {
      if (isOpen) options.onLost();
    },
  });
  if (linked.type === 'failed') return { ...linked, hasStarted: false };
  const { peer, turns, transport, pid, lost } = linked;
  try {
    const probeTimeout = options.isPatient ? LOGIN_TIMEOUT : PROBE_TIMEOUT;
    const agreed = await agreeOnEra(peer, { expected, signal: options.signal, probeTimeout, may: options.may });
    if (agreed.type === 'failed') {
      await transport.close();
      return { type: 'failed', failure: agreed.failure, hasStarted: lost() !== undefined };
    }
    const { server } = agreed;
    transport.agree(server);
    isOpen = true;
    const isRemote = transport.kind !== 'stdio';
    const wantLogs = followLogLevel(peer, server);
    const session: McpSession = {
      peer,
      turns,
      server,
      pid,
      call: (call, taskId) => {
        wantLogs(call.logLevel);
        return callTool(call, { peer, server, isRemote, taskId });
      },
      request: (call, body) => {
        wantLogs(call.logLevel);
        return sendRequest(call, body, { peer, server });
      },
      close: (how) => transport.close(how),
    };
    return { type: 'open', session, hasStarted: true };
  } catch (reason) {
    // The time is up, or the board closes: the server has nothing to finish.
    await transport.close({ patience: 0 });
    throw reason;
  }
}

async function link(
  options: McpSessionOptions,
  isOldest: boolean,
  { onClose, onSessionLost }: Pick<TransportHandlers, 'onClose' | 'onSessionLost'>,
): Promise<({ readonly type: 'linked' } & Link) | { readonly type: 'failed'; readonly failure: TransportFailure }> {
  const { settings, errors } = options;
  const { address } = settings;
  let lost: TransportFailure | undefined;
  let noise: (size: number) => void = () => {};
  const handlers = {
    onMessage: (message: JsonObject, origin: number | undefined) => peer?.receive(message, origin),
    onFailure: (id: number, failure: TransportFailure) => peer?.fail(id, failure),
    onClose: (failure: TransportFailure) => {
      lost = failure;
      peer?.close(failure);
      onClose(failure);
    },
    onSessionLost,
  };
  let peer: RpcPeer | undefined;
  const turns = new QuestionTurns({ server: settings.name, habits: options.habits, clock: options.clock });
  let transport: Transport;
  let pid: number | undefined;
  if (address.type === 'stdio') {
    const started = await startStdio(address, { maxFrame: settings.maxFrame, errors }, handlers);
    if (started.type === 'failed') return started;
    ({ transport, pid, noise } = started);
  } else {
    const { url, headers } = address;
    const target = {
      url,
      headers,
      connect: () => options.dispatcher(url),
      tokens: options.tokens,
      maxFrame: settings.maxFrame,
    };
    const started = isOldest ? await startSse(target, handlers, options.signal) : undefined;
    if (started?.type === 'failed') return started;
    transport = started?.transport ?? new HttpTransport(target, handlers);
  }
  peer = new RpcPeer(transport, {
    onRequest: ({ method, params, about }) => {
      if (method === 'roots/list' && options.may.roots) {
        const roots = () => options.onRoots(about?.listener);
        return answerRequest(method, params, { roots });
      }
      const isForCaller = method === 'elicitation/create' || method === 'sampling/createMessage';
      if (about !== undefined || !isForCaller) return answerRequest(method, params, about?.listener);
      return turns.ask((listener) => answerRequest(method, params, listener));
    },
    onNoise: (size) => noise(size),
    onNotification: (method, params, listener) => {
      if (LIST_CHANGES.has(method)) options.onListChanged();
      else if (method === 'notifications/resources/updated') {
        if (typeof params['uri'] === 'string') options.onResourceUpdated(params['uri']);
      } else if (method === 'notifications/message') {
        const { level, data } = params;
        const said = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
        const line = withoutBytes(said, carriedBytes([], data));
        if (listener === undefined) options.onLog(String(level), line);
        else listener.onLog?.(String(level), line);
      }
    },
  });
  return { type: 'linked', peer, turns, transport, pid, lost: () => lost };
}

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/**
 * Sets the log level of a server with a handshake to the most detailed one that a caller wants: the server has one level for all. The
 * board filters for each caller. Stateless requests carry their own level.
 */
function followLogLevel(peer: RpcPeer, { era, capabilities }: ServerIntroduction): (level?: string) => void {
  let most = LEVELS.length;
  if (era !== 'legacy' || capabilities['logging'] === undefined) return () => {};
  return (level) => {
    const place = level === undefined ? -1 : LEVELS.indexOf(level);
    if (place === -1 || place >= most) return;
    most = place;
    peer.request('logging/setLevel', { level }).catch(() => undefined);
  };
}
