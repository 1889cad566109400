import type { ToolResult } from '../../tool/tool-result.ts';
import type { AgentUsage } from './agent-usage.ts';
import type { ModelMessage } from '../model/ai-types.ts';

/** A tool call of a run with its result. */
export interface AgentCall {
  readonly callId: string;
  /** The tool's name on the board. */
  readonly tool: string;
  /** The arguments as the model sent them; a string if they were not valid JSON. */
  readonly input: unknown;
  readonly result: ToolResult;
  /** The id of an identical earlier call whose result was reused. */
  readonly answeredFrom?: string;
}

/** One model call and the tool calls it requested. */
export interface AgentStep {
  readonly number: number;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly AgentCall[];
  readonly finishReason: string;
  readonly usage: AgentUsage;
}

/** The part of a result that every run has, however it ended. */
export interface AgentRunParts {
  readonly agent: string;
  /** The model's last text; empty if it wrote none. */
  readonly text: string;
  readonly steps: readonly AgentStep[];
  /** The messages that this run adds to the conversation, including the input. Every tool call in them has its result. */
  readonly messages: readonly ModelMessage[];
  /** Tokens and cost of all steps, including those of agents it delegated to. */
  readonly usage: AgentUsage;
}

/** The reason why a run ended without an answer. */
export type AgentFailure =
  /** The model still wanted to call tools after its last step. */
  | 'max_steps'
  /** The same call failed repeatedly. */
  | 'stuck'
  /** The code that started the run cancelled it. */
  | 'cancelled'
  /** The answer exceeded the model's output limit. */
  | 'cut_off'
  /** The provider's content filter stopped the answer. */
  | 'filtered'
  /** The answer does not match the output schema. */
  | 'bad_output'
  /** The provider failed, also after retries. */
  | 'model_failed'
  /** A stored run cannot continue in this process: its state cannot be stored, or another process has taken it over. */
  | 'interrupted';

/** The end of a run. A failure is data: `reason` says what happened and what to do. */
export type AgentResult =
  | (AgentRunParts & {
      readonly ok: true;
      readonly outcome: 'completed';
      /** The answer: data when the agent has an output schema, otherwise its text. */
      readonly output: unknown;
    })
  | (AgentRunParts & {
      readonly ok: false;
      readonly outcome: AgentFailure;
      readonly reason: string;
      /** The error thrown by the provider or the model, if any. */
      readonly cause: unknown;
    })
  | (AgentRunParts & {
      readonly ok: false;
      /** A stored run that `resumeRun` continues once people have answered. */
      readonly outcome: 'waiting';
      readonly reason: string;
      /** The ids of the pending approvals. */
      readonly waitingFor: readonly string[];
      readonly cause: undefined;
    });

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
