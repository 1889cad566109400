import type { Approve, CallAsking } from './approval.ts';
import { BOUNDS, CLIENT, ToolContext } from '../tool-context.ts';
import type { ToolError } from '../tool-error.ts';
import type { ToolRisk } from '../tool-metadata.ts';
import type { Tool } from '../tool.ts';

/**
 * What bounds the calls of a caller: the tools it reaches, and who must agree before one runs.
 *
 * A call's context carries them, so they hold for all that runs below the call: tools that stand for others, agents that
 * are tools, code that calls tools with the context that it was given.
 */
export interface CallBounds {
  /** The caller's own tool of this name; an alias and the name that an exporter gave count too. */
  find(name: string): Tool | undefined;
  /** Tells whether this very tool is one of the caller's own. */
  reaches(tool: Tool): boolean;
  /** Tells whether it may make calls of its tool with this risk; missing where it may make all. Callers below have their own. */
  readonly mayCall?: ((tool: Tool, risk: ToolRisk) => boolean) | undefined;
  /** All tools of the caller's own. */
  tools(): readonly Tool[];
  /** The answer to a call of any other tool: the same whether there is such a tool elsewhere or not. */
  explainUnknown(name: string): ToolError;
  /** Settles when it is decided whether a tool of this name joins the caller's own; missing where none can. */
  arrival?(name: string): Promise<void> | undefined;
  /** Judge each call after the board's guard: the caller's own guard, then those of every caller above it. */
  readonly guards: readonly CallGuard[];
  /** Answers where the guards of the caller ask, as the code wants that began its work. Default: whoever the board asks. */
  readonly approve?: Approve | undefined;
  /** Who the caller is, in words: `agent a → b`. */
  readonly caller?: string | undefined;
  /** What the spans of a call belong to, where its caller has a span for it. */
  readonly span?: unknown;
}

/** The bounds that a context, or metadata for one, carries. */
export function boundsOf(context: ToolContext | Readonly<Record<string, unknown>> | undefined): CallBounds | undefined {
  // Only `withBounds` writes under this key; both a context and metadata have it.
  return (context as { readonly [BOUNDS]?: CallBounds } | undefined)?.[BOUNDS];
}

/** The same context for calls within these bounds, or within none. */
export function withBounds(context: ToolContext, bounds: CallBounds | undefined): ToolContext {
  const metadata = { ...context.metadata, [BOUNDS]: bounds };
  return ToolContext.from(metadata).withRuntime(context);
}

/** A context that a hook made, for the same client and within the same bounds as the call's own. */
export function keepCall(made: ToolContext, own: ToolContext): ToolContext {
  return ToolContext.from({ ...made.metadata, [BOUNDS]: own[BOUNDS], [CLIENT]: own[CLIENT] }).withRuntime(own);
}

/** A call about to run. */
export interface GuardRequest {
  readonly tool: Tool;
  /** The arguments that the tool gets. This copy is frozen: the tool gets another. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: ToolContext;
  readonly callId: string;
  readonly signal: AbortSignal;
  /**
   * What was answered about this call, by whom: a guard that asks keeps the answer here under the function that it asked.
   *
   * After a new answer every guard judges the call once more, as much may have changed while a person thought.
   */
  readonly answers: Map<unknown, unknown>;
  /** @internal What the pipeline lends a guard that asks a person; `undefined` where a guard is called by itself. */
  readonly asking?: CallAsking | undefined;
}

/** Called once when a call that reserved something is over, whatever became of it. */
export type SettleCall = (outcome: { readonly ok: boolean }) => void | Promise<void>;

/** Takes what a call uses up, after every guard has agreed: gives an error that refuses it, or the function that settles it. */
export type ReserveCall = (
  request: GuardRequest,
) => ToolError | SettleCall | undefined | Promise<ToolError | SettleCall | undefined>;

/** Gives the error that refuses a call, or nothing. */
export type CallGuard = (request: GuardRequest) => ToolError | undefined | Promise<ToolError | undefined>;
