import type { OAuthTokens } from './oauth/oauth-tokens.ts';
import { type ResourceOwner, ServerOffers } from './offers/server-offers.ts';
import { createRestartSchedule, type RestartSchedule, UPSTREAM_CLOCK, type UpstreamClock } from './upstream-timing.ts';
import { type ServerSettings, settingsKey } from './server-settings.ts';
import type { ServerMay } from './session/agree-on-era.ts';
import type { UpstreamCall } from './session/call-tool.ts';
import type { McpSession, openMcpSession } from './session/open-mcp-session.ts';
import type { AskingHabits } from './session/question-turns.ts';
import { type StartFailure, StartFailures } from './start-failures.ts';
import type { TransportFailure } from './transports/transport.ts';
import type { TokenOwner, UpstreamResources } from './upstream-resources.ts';
import type { ClientRoot } from '../../tool/calls/call-owner.ts';
import { stripDeceiving } from '../../tool/texts/reveal-hidden.ts';

/** A process of a server, or a connection to it, for those who tell processes apart. */
export interface ServerProcess {
  /** True while no caller has used it. */
  readonly isFresh: boolean;
}

/** The parts that the processes of one server share. */
export interface ServerCommons {
  readonly resources: UpstreamResources;
  readonly clock: UpstreamClock;
  /** Returns the functions that talk to it; loaded when one of its processes is started first. */
  talk(): Promise<ServerTalk>;
  readonly offer: ServerOffers;
  /** Puts off starts after starts that failed: a server that cannot start is not tried for each caller. */
  readonly starts: RestartSchedule;
  /** Why the last of them failed. */
  startFailure: TransportFailure | undefined;
  /** Told when a process did not start, or did not say what it offers. */
  onFailure(message: string): void;
  /** Told when a process has started and said what it offers. */
  onStart(): void;
  /** Observations about its questions. */
  readonly habits: AskingHabits;
  /** Waits until the processes that are being ended leave room for another. */
  room(): Promise<void>;
  /** Why a tool, or what else a call is for, must not be used, if so. */
  refusal(tool: string): string | undefined;
  /** Returns the requests that its processes may send to callers. */
  may(): ServerMay;
  /** Returns the owner of the resources that a process lists now. */
  ownerOf(server: ServerProcess): ResourceOwner;
  /** Told when a process says that a resource changed. */
  onResourceUpdated(server: ServerProcess, uri: string): void;
  /** Told of log lines of a process that belong to no call. */
  onLog(server: ServerProcess, level: string, text: string): void;
  /** Told when a process asks for folders, and again with those that it got: it keeps them. */
  onRoots(server: ServerProcess, roots: readonly ClientRoot[] | undefined): void;
}

/** Work with a session, and its outcome. */
export type SessionWork<T> = (session: McpSession, taskId: string | undefined) => Promise<WorkOutcome<T>>;

/** The outcome of work with a session; a `failed` one never reached the server, or lost it. */
export type WorkOutcome<T> =
  | { readonly type: 'result'; readonly result: T }
  | { readonly type: 'stale' }
  | { readonly type: 'failed'; readonly failure: TransportFailure; readonly taskId?: string | undefined };

/** A call on its way to a process. */
export interface RoutedCall<T> {
  readonly call: UpstreamCall;
  /** The folders of its caller; `undefined` while the server did not ask for any. */
  readonly roots: readonly ClientRoot[] | undefined;
  readonly work: SessionWork<T>;
  /** Takes the call to the process for callers with the folders of this one. */
  readonly elsewhere: () => Promise<T>;
}

/** The part of the commons that the server itself answers, and the events it listens to. */
type ServerEvents = Pick<
  ServerCommons,
  'room' | 'refusal' | 'onRoots' | 'may' | 'ownerOf' | 'onResourceUpdated' | 'onLog'
> & {
  /** Called, and waited for, when the server offers something else than before. */
  onOffer(): Promise<void>;
  onResources(): void;
  onFailure(failure: StartFailure): void;
};

/** Makes the parts that the processes of one server share, and the memory of its failed starts. */
export function createServerCommons(
  settings: ServerSettings,
  resources: UpstreamResources,
  events: ServerEvents,
): { readonly commons: ServerCommons; readonly failures: StartFailures } {
  const { cache, clock = UPSTREAM_CLOCK } = resources;
  const redact = (text: string): string => resources.redact(text);
  const key = settingsKey(settings, redact);
  const failures = new StartFailures({ settings, cache, key, redact });
  let talk: Promise<ServerTalk> | undefined;
  const commons: ServerCommons = {
    ...events,
    resources,
    clock,
    talk: () => (talk ??= loadTalk(settings, resources)),
    onFailure: (message) => events.onFailure(failures.failed(message)),
    onStart: () => failures.worked(),
    offer: new ServerOffers({
      settings,
      cache,
      key,
      clock,
      onChange: () => events.onOffer(),
      onResources: () => events.onResources(),
    }),
    starts: createRestartSchedule(clock),
    startFailure: undefined,
    habits: { asking: new Set(), quiet: new Set() },
    onLog: (server, level, text) => events.onLog(server, level, stripDeceiving(redact(text))),
  };
  return { commons, failures };
}

/** The functions that talk to a server. */
export interface ServerTalk {
  readonly openMcpSession: typeof openMcpSession;
  /** Milliseconds for a person to log in. */
  readonly loginTimeout: number;
  readonly tokens: OAuthTokens | undefined;
}

/** Loads what talks to a server: a board whose servers sleep does without. */
export async function loadTalk(
  settings: ServerSettings,
  resources: UpstreamResources,
  owner?: TokenOwner,
): Promise<ServerTalk> {
  const [session, tokens] = await Promise.all([
    import('./session/open-mcp-session.ts'),
    import('./upstream-resources.ts'),
  ]);
  return {
    openMcpSession: session.openMcpSession,
    loginTimeout: session.LOGIN_TIMEOUT,
    tokens: tokens.tokensFor(settings, resources, owner),
  };
}
