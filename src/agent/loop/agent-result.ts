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
