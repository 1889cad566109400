import type { AgentUsage } from '../loop/agent-usage.ts';
import type { ModelMessage } from '../model/ai-types.ts';

/** What one run says in a session, kept step by step. */
export interface AgentTurn {
  /** What was said before it. */
  readonly messages: readonly ModelMessage[];
  /** Keeps the conversation after a step. What another turn kept meanwhile stays, and this turn's messages follow it. */
  keep(step: AgentTurnStep): Promise<void>;
  /** Counts what was used after the last step that was kept: a run that failed or was cancelled has used it, too. */
  count(used: AgentUsage): Promise<void>;
}

/** A conversation after a step. */
export interface AgentTurnStep {
  /** The whole of it, as this run sees it. */
  readonly messages: readonly ModelMessage[];
  /** All that this run added to it so far. */
  readonly added: readonly ModelMessage[];
  /** Tokens and cost since the last step. */
  readonly used: AgentUsage;
}

/** A conversation as it is stored. */
export interface ConversationState {
  readonly messages: readonly ModelMessage[];
  readonly usage: AgentUsage;
  /** Another one each time it is kept; missing before the first. */
  readonly revision?: string | undefined;
}

/** Reads and writes the state of a session. No other writer comes between the two halves of `update`. */
export interface ConversationSlot {
  read(): Promise<ConversationState>;
  /** Replaces the state with what `change` makes of it, and gives the new one. */
  update(
    change: (state: ConversationState) => Pick<ConversationState, 'messages'>,
    used: AgentUsage,
  ): Promise<ConversationState>;
}

/** Starts a turn on the state as it is now. */
export async function startTurn(slot: ConversationSlot): Promise<AgentTurn> {
  const { messages: before, revision: first } = await slot.read();
  let revision = first;
  let kept = 0;
  let isAlone = true;
  return {
    messages: before,
    async keep({ messages, added, used }) {
      const state = await slot.update((stored) => {
        isAlone &&= stored.revision === revision;
        if (isAlone) return { messages };
        // A conversation that was forgotten meanwhile starts anew with this turn, from its question on.
        const missing = stored.messages.length === 0 ? added : added.slice(kept);
        return { messages: [...stored.messages, ...missing] };
      }, used);
      revision = state.revision;
      kept = added.length;
    },
    count: async (used) => void (await slot.update(({ messages }) => ({ messages }), used)),
  };
}
