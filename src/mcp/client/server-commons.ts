import { basename } from 'node:path';
import type { OAuthTokens } from './oauth/oauth-tokens.ts';
import { type ResourceOwner, ServerOffers } from './offers/server-offers.ts';
import { createRestartSchedule, type RestartSchedule, UPSTREAM_CLOCK, type UpstreamClock } from './upstream-timing.ts';
import { type ServerSettings, settingsKey } from './server-settings.ts';
import type { Launch } from './packages/launch-command.ts';
import type { PackageRule } from './packages/package-rule.ts';
import type { ServerMay } from './session/agree-on-era.ts';
import type { UpstreamCall } from './session/call-tool.ts';
import type { McpSession, openMcpSession } from './session/open-mcp-session.ts';
import type { AskingHabits } from './session/question-turns.ts';
import { type StartFailure, StartFailures } from './start-failures.ts';
import type { TransportFailure } from './transports/transport.ts';
import type { TokenOwner, UpstreamResources } from './upstream-resources.ts';
import type { PackagePin } from '../../guard/lock/lock-file.ts';
import type { ClientRoot } from '../../tool/calls/call-owner.ts';
import { stripDeceiving } from '../../tool/texts/reveal-hidden.ts';

/** A process of a server, or a connection to it. */
export interface ServerProcess {
  /** True until the first call. */
  readonly isFresh: boolean;
}

/** The parts that all processes of one server share. */
export interface ServerCommons {
  readonly resources: UpstreamResources;
  readonly clock: UpstreamClock;
  /** Returns the functions that connect to the server; loaded with the first start. */
  talk(): Promise<ServerTalk>;
  /** Finds the program of a server, and installs its package if necessary. `signal` ends the wait. */
  launch(settings: ServerSettings, signal: AbortSignal): Promise<Launch>;
  /** Returns the package of its last process for the lock; `undefined` for a command that was started as written. */
  packagePin: (() => PackagePin) | undefined;
  readonly offer: ServerOffers;
  readonly starts: RestartSchedule;
  /** The failure of the last start. */
  startFailure: TransportFailure | undefined;
  /** Called when a process did not start or did not list its tools. */
  onFailure(message: string): void;
  onStart(): void;
  /** Tools that are known to ask questions. */
  readonly habits: AskingHabits;
  /** Waits until ending processes leave room for another. */
  room(): Promise<void>;
  /** Returns the reason why a tool or request must not be used. */
  refusal(tool: string): string | undefined;
  may(): ServerMay;
  ownerOf(server: ServerProcess): ResourceOwner;
  onResourceUpdated(server: ServerProcess, uri: string): void;
  /** Called with log lines outside of calls. */
  onLog(server: ServerProcess, level: string, text: string): void;
  /** Called when a process asks for folders, and again with those that it got and keeps. */
  onRoots(server: ServerProcess, roots: readonly ClientRoot[] | undefined): void;
}

/** Work on a session. */
export type SessionWork<T> = (session: McpSession, taskId: string | undefined) => Promise<WorkOutcome<T>>;

/** The outcome of work on a session. A `failed` one never reached the server, or the connection was lost. */
export type WorkOutcome<T> =
  | { readonly type: 'result'; readonly result: T }
  | { readonly type: 'stale' }
  | { readonly type: 'failed'; readonly failure: TransportFailure; readonly taskId?: string | undefined };

/** A call that is routed to a process. */
export interface RoutedCall<T> {
  readonly call: UpstreamCall;
  readonly roots: readonly ClientRoot[] | undefined;
  readonly work: SessionWork<T>;
  /** Sends the call to the process for callers with these folders. */
  readonly elsewhere: () => Promise<T>;
}

/** The parts that the server provides, and its listeners. */
type ServerEvents = Pick<
  ServerCommons,
  'room' | 'refusal' | 'onRoots' | 'may' | 'ownerOf' | 'onResourceUpdated' | 'onLog'
> & {
  /** Called and awaited when the server offers something else than before. */
  onOffer(): Promise<void>;
  onResources(): void;
  onFailure(failure: StartFailure): void;
  /** Returns the part of the lock that its package has to match. */
  packageRule(): PackageRule | undefined;
};

/** Creates the shared parts of a server, and the record of its failed starts. */
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
    async launch(own, signal) {
      if (!runsPackage(own)) return { type: 'ready', settings: own, pin: undefined };
      const { launchCommand } = await import('./packages/launch-command.ts');
      return launchCommand(own, { host: resources.packages, rule: events.packageRule(), signal });
    },
    packagePin: undefined,
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

/** Returns true for a command of a program that runs packages, which may be replaced by the package's own program. */
export function runsPackage({ address }: ServerSettings): boolean {
  return address.type === 'stdio' && /^(?:npx|npm|uvx?)(?:\.cmd|\.exe)?$/i.test(basename(address.file));
}

/** The functions that connect to a server. */
export interface ServerTalk {
  readonly openMcpSession: typeof openMcpSession;
  /** Milliseconds for a person to log in. */
  readonly loginTimeout: number;
  readonly tokens: OAuthTokens | undefined;
}

/** Loads the code that connects to servers: a board whose servers are not used does without it. */
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
