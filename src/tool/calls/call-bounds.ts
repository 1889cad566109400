import type { Approve, CallAsking } from './approval.ts';
import { BOUNDS, CLIENT, ToolContext } from '../tool-context.ts';
import type { ToolError } from '../tool-error.ts';
import type { ToolRisk } from '../tool-metadata.ts';
import type { Tool } from '../tool.ts';

/**
 * The limits of a caller: the tools it can reach, and the guards that judge its calls.
 *
 * A call's context carries them, so they apply to everything below the call: proxy tools, agents that are tools, and code that calls tools
 * with the context it received.
 */
export interface CallBounds {
  /** Finds the caller's tool by name, alias or exported name. */
  find(name: string): Tool | undefined;
  /** Returns true when this exact tool belongs to the caller. */
  reaches(tool: Tool): boolean;
  /** Returns true when the caller may call its tool with this risk. Missing when it may make all calls. Callers below have their own. */
  readonly mayCall?: ((tool: Tool, risk: ToolRisk) => boolean) | undefined;
  /** Lists all tools of the caller. */
  tools(): readonly Tool[];
  /** Creates the error for any other tool. It does not reveal if such a tool exists elsewhere. */
  explainUnknown(name: string): ToolError;
  /** Settles when it is decided if a tool of this name becomes available. Missing when none can. */
  arrival?(name: string): Promise<void> | undefined;
  /** Guards that judge each call after the board's guard: the caller's own, then those of every caller above it. */
  readonly guards: readonly CallGuard[];
  /** Answers questions of the caller's guards, for the code that started its work. Default: the people that the board asks. */
  readonly approve?: Approve | undefined;
  /** Describes the caller: `agent a → b`. */
  readonly caller?: string | undefined;
  /** The parent of a call's spans, if its caller has a span for it. */
  readonly span?: unknown;
}

export function boundsOf(context: ToolContext | Readonly<Record<string, unknown>> | undefined): CallBounds | undefined {
  // Only `withBounds` writes this key, in contexts and metadata.
  return (context as { readonly [BOUNDS]?: CallBounds } | undefined)?.[BOUNDS];
}

/** Returns a copy of a context with these bounds. */
export function withBounds(context: ToolContext, bounds: CallBounds | undefined): ToolContext {
  const metadata = { ...context.metadata, [BOUNDS]: bounds };
  return ToolContext.from(metadata).withRuntime(context);
}

/** Returns a hook's context with the client and the bounds of the call. */
export function keepCall(made: ToolContext, own: ToolContext): ToolContext {
  return ToolContext.from({ ...made.metadata, [BOUNDS]: own[BOUNDS], [CLIENT]: own[CLIENT] }).withRuntime(own);
}

/** A call about to run. */
export interface GuardRequest {
  readonly tool: Tool;
  /** The arguments for the tool. This copy is frozen: the tool gets another. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: ToolContext;
  readonly callId: string;
  readonly signal: AbortSignal;
  /**
   * Answers about this call. A guard stores an answer under the function it asked.
   *
   * After a new answer every guard judges the call again, because much may have changed meanwhile.
   */
  readonly answers: Map<unknown, unknown>;
  /** @internal Services for a guard that asks a person; `undefined` when a guard is called by itself. */
  readonly asking?: CallAsking | undefined;
}

/** Called once when a call that reserved something has ended, with any outcome. */
export type SettleCall = (outcome: { readonly ok: boolean }) => void | Promise<void>;

/** Reserves resources for a call after every guard has agreed. Returns an error that refuses the call, or the function that settles it. */
export type ReserveCall = (
  request: GuardRequest,
) => ToolError | SettleCall | undefined | Promise<ToolError | SettleCall | undefined>;

/** Returns the error that refuses a call, or nothing. */
export type CallGuard = (request: GuardRequest) => ToolError | undefined | Promise<ToolError | undefined>;

/** Joins guards: each judges a call after the one before has agreed, and the first refusal counts. */
export function guardInTurn(guards: readonly CallGuard[]): CallGuard {
  const [only] = guards;
  if (only !== undefined && guards.length === 1) return only;
  return async (request) => {
    for (const guard of guards) {
      const refusal = await guard(request);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  };
}
