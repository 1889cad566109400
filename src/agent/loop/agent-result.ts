import type { ToolResult } from '../../tool/tool-result.ts';
import type { AgentUsage } from './agent-usage.ts';
import type { ModelMessage } from '../model/ai-types.ts';

/** A tool call of a run with its answer. */
export interface AgentCall {
  readonly callId: string;
  /** The tool's name on the board. */
  readonly tool: string;
  /** The arguments as the model sent them; a text when they were no JSON. */
  readonly input: unknown;
  readonly result: ToolResult;
  /** The earlier identical call that this one was answered from. */
  readonly answeredFrom?: string;
}

/** One model call and the tool calls it asked for. */
export interface AgentStep {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly AgentCall[];
  readonly finishReason: string;
  readonly usage: AgentUsage;
}

/** What every run gives, however it ended. */
export interface AgentRunParts {
  readonly agent: string;
  /** The model's last words; empty when it said nothing. */
  readonly text: string;
  readonly steps: readonly AgentStep[];
  /** What this run adds to the conversation, the input included. Every tool call in it has its result. */
  readonly messages: readonly ModelMessage[];
  /** Tokens and cost of all steps, those of agents it handed tasks to included. */
  readonly usage: AgentUsage;
}

/** Why a run ended without an answer. */
export type AgentFailure =
  /** The model still wanted to call tools after its last step. */
  | 'max_steps'
  /** The same call failed again and again. */
  | 'stuck'
  /** The code that started the run stopped it. */
  | 'cancelled'
  /** The answer was longer than the model may write. */
  | 'cut_off'
  /** The provider's filter stopped the answer. */
  | 'filtered'
  /** The answer does not fit the output schema. */
  | 'bad_output'
  /** The provider failed, also when asked again. */
  | 'model_failed'
  /** A kept run cannot go on in this process: its state cannot be kept, or another process has taken it over. */
  | 'interrupted';

/** How a run ended. A failure is data: `reason` says in a sentence what happened and what to do. */
export type AgentResult =
  | (AgentRunParts & {
      readonly ok: true;
      readonly outcome: 'completed';
      /** The answer: its data when the agent has an output schema, its text otherwise. */
      readonly output: unknown;
    })
  | (AgentRunParts & {
      readonly ok: false;
      readonly outcome: AgentFailure;
      readonly reason: string;
      /** What the provider or the model threw, where something was thrown. */
      readonly cause: unknown;
    })
  | (AgentRunParts & {
      readonly ok: false;
      /** A kept run that goes on with `resumeRun` once people have answered. */
      readonly outcome: 'waiting';
      readonly reason: string;
      /** The ids of the approvals that it waits for. */
      readonly waitingFor: readonly string[];
      readonly cause: undefined;
    });
