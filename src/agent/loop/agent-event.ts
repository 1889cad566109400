import type { AgentCall, AgentResult, AgentStep } from './agent-result.ts';

/** What happens in a run, as it happens. `agent` tells whose step it is when agents hand tasks to each other. */
export type AgentEvent = { readonly agent: string } & (
  | { readonly type: 'run-start'; readonly model: string; readonly tools: readonly string[] }
  /** Another run is at work on the session; this one goes on when that is over. The name is empty for one in memory. */
  | { readonly type: 'waiting'; readonly session: string }
  | { readonly type: 'step-start'; readonly step: number }
  /** A piece of the answer; only in streamed runs. */
  | { readonly type: 'text'; readonly text: string }
  /** A piece of what the model thinks; only in streamed runs. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** The provider failed and is asked again: text of this step that was streamed is void. */
  | { readonly type: 'retry'; readonly step: number; readonly attempt: number; readonly reason: string }
  | { readonly type: 'call-start'; readonly callId: string; readonly tool: string; readonly input: unknown }
  | ({ readonly type: 'call-end' } & AgentCall)
  /** Tools that were found and are real tools from the next step on. */
  | { readonly type: 'tools-added'; readonly tools: readonly string[] }
  | { readonly type: 'compacted'; readonly removed: number; readonly kept: number }
  | { readonly type: 'step-end'; readonly step: AgentStep }
  | { readonly type: 'run-end'; readonly result: AgentResult }
);
