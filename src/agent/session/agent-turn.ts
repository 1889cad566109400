import type { AgentUsage } from '../loop/agent-usage.ts';
import type { ModelMessage } from '../model/ai-types.ts';

/** The messages of one run in a session, stored step by step. */
export interface AgentTurn {
  /** The conversation before this turn. */
  readonly messages: readonly ModelMessage[];
  /** Identifies the state of the conversation at that time; `undefined` before the first turn and for sessions in memory. */
  readonly revision?: string | undefined;
  /** Stores the conversation after a step. If another turn stored messages meanwhile, they stay and this turn's follow. */
  keep(step: AgentTurnStep): Promise<void>;
  /** Adds usage after the last stored step: a run that failed or was cancelled used it, too. */
  count(used: AgentUsage): Promise<void>;
}

/** A conversation after a step. */
export interface AgentTurnStep {
  /** The whole conversation, as this run sees it. */
  readonly messages: readonly ModelMessage[];
  /** All messages that this run added so far. */
  readonly added: readonly ModelMessage[];
  /** Tokens and cost since the last step. */
  readonly used: AgentUsage;
  /** The stored run that writes all its messages at once; a run already written is not written again. `revision` is that at its start. */
  readonly run?: { readonly id: string; readonly revision: string | undefined } | undefined;
}

/** The stored form of a conversation. */
export interface ConversationState {
  readonly messages: readonly ModelMessage[];
  readonly usage: AgentUsage;
  /** Changes with each write; undefined before the first. */
  readonly revision?: string | undefined;
  /** Latest stored runs already in the session. */
  readonly runs?: readonly string[] | undefined;
}

/** Reads and writes the state of a session. `update` is atomic. */
export interface ConversationSlot {
  read(): Promise<ConversationState>;
  /** Replaces the state with the result of `change`, unless that is `undefined`, and returns the new state. */
  update(
    change: (state: ConversationState) => Pick<ConversationState, 'messages' | 'runs'> | undefined,
    used: AgentUsage,
  ): Promise<ConversationState>;
}

/** Stored runs that a conversation remembers: more than can be in progress at once. */
const MOST_RUNS = 50;

/** Starts a turn from the current state. */
export async function startTurn(slot: ConversationSlot): Promise<AgentTurn> {
  const { messages: before, revision: first } = await slot.read();
  let revision = first;
  let kept = 0;
  let isAlone = true;
  return {
    messages: before,
    revision,
    async keep({ messages, added, used, run }) {
      const state = await slot.update((stored) => {
        const { runs = [] } = stored;
        if (run !== undefined && runs.includes(run.id)) return undefined;
        const said = run === undefined ? {} : { runs: [...runs, run.id].slice(-MOST_RUNS) };
        isAlone &&= stored.revision === (run === undefined ? revision : run.revision);
        if (isAlone) return { messages, ...said };
        // A conversation deleted meanwhile starts again with this turn, from its question.
        const missing = stored.messages.length === 0 ? added : added.slice(kept);
        return { messages: [...stored.messages, ...missing], ...said };
      }, used);
      revision = state.revision;
      kept = added.length;
    },
    count: async (used) => void (await slot.update(({ messages }) => ({ messages }), used)),
  };
}
