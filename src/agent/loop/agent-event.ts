import type { AgentCall, AgentResult, AgentStep } from './agent-result.ts';

/** What happens in a run, as it happens. `agent` tells whose step it is when agents hand tasks to each other. */
export type AgentEvent = { readonly agent: string } & (
  | { readonly type: 'run-start'; readonly model: string; readonly tools: readonly string[] }
  /** Another run uses the session; this one continues when that has ended. The name is empty for a session in memory. */
  | { readonly type: 'waiting'; readonly session: string }
  /** A kept run goes on after this many steps; what they said and did is not told again. */
  | { readonly type: 'resumed'; readonly run: string; readonly steps: number }
  | { readonly type: 'step-start'; readonly step: number }
  /** A piece of the answer; only in streamed runs. */
  | { readonly type: 'text'; readonly text: string }
  /** A piece of the model's reasoning; only in streamed runs. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** The provider failed and is asked again: discard the text of this step that was streamed. */
  | { readonly type: 'retry'; readonly step: number; readonly attempt: number; readonly reason: string }
  | { readonly type: 'call-start'; readonly callId: string; readonly tool: string; readonly input: unknown }
  | ({ readonly type: 'call-end' } & AgentCall)
  /** Tools that were found, which the model can call from the next step on. */
  | { readonly type: 'tools-added'; readonly tools: readonly string[] }
  | { readonly type: 'compacted'; readonly removed: number; readonly kept: number }
  | { readonly type: 'step-end'; readonly step: AgentStep }
  | { readonly type: 'run-end'; readonly result: AgentResult }
);
