import type { AgentCall, AgentResult, AgentStep } from './agent-result.ts';

/** An event of a run. `agent` names the agent whose step it is when agents delegate to each other. */
export type AgentEvent = { readonly agent: string } & (
  | { readonly type: 'run-start'; readonly model: string; readonly tools: readonly string[] }
  /** Another run uses the session; this run continues when that one ends. The name is empty for a session in memory. */
  | { readonly type: 'waiting'; readonly session: string }
  /** A stored run is resumed after this many steps; their events are not repeated. */
  | { readonly type: 'resumed'; readonly run: string; readonly steps: number }
  | { readonly type: 'step-start'; readonly step: number }
  /** A piece of the answer; only in streamed runs. */
  | { readonly type: 'text'; readonly text: string }
  /** A piece of the model's reasoning; only in streamed runs. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** The provider failed and the request is repeated: discard the streamed text of this step. */
  | { readonly type: 'retry'; readonly step: number; readonly attempt: number; readonly reason: string }
  | { readonly type: 'call-start'; readonly callId: string; readonly tool: string; readonly input: unknown }
  | ({ readonly type: 'call-end' } & AgentCall)
  /** Tools found by search, callable from the next step. */
  | { readonly type: 'tools-added'; readonly tools: readonly string[] }
  | { readonly type: 'compacted'; readonly removed: number; readonly kept: number }
  | { readonly type: 'step-end'; readonly step: AgentStep }
  | { readonly type: 'run-end'; readonly result: AgentResult }
);
