import type { AgentUsage } from '../loop/agent-usage.ts';
import type { ModelMessage } from '../model/ai-types.ts';

/** What one run says in a session, kept step by step. */
export interface SessionTurn {
  /** What was said before it. */
  readonly messages: readonly ModelMessage[];
  /** Keeps the conversation after a step. What somebody else kept meanwhile stays, and this turn goes on behind it. */
  keep(step: SessionStep): void;
  /** Counts what was used after the last step that was kept: a run that failed or was cancelled has used it, too. */
  count(used: AgentUsage): void;
}

/** A conversation after a step. */
export interface SessionStep {
  /** The whole of it, as this run sees it. */
  readonly messages: readonly ModelMessage[];
  /** All that this run added to it so far. */
  readonly added: readonly ModelMessage[];
  /** Tokens and cost since the last step. */
  readonly used: AgentUsage;
}

/** A conversation as it is stored. */
export interface SessionState {
  readonly messages: readonly ModelMessage[];
  readonly usage: AgentUsage;
  /** Another one each time it is kept; missing before the first. */
  readonly revision?: string | undefined;
}

/** Where a session's state is. Both run at once with nobody in between. */
export interface SessionSlot {
  read(): SessionState;
  /** Replaces the state with what `change` makes of it, and gives the new one. */
  update(change: (state: SessionState) => Pick<SessionState, 'messages'>, used: AgentUsage): SessionState;
}

/** Starts a turn on the state as it is now. */
export function startTurn(slot: SessionSlot): SessionTurn {
  const { messages: before, revision: first } = slot.read();
  let revision = first;
  let kept = 0;
  let isAlone = true;
  return {
    messages: before,
    keep({ messages, added, used }) {
      const state = slot.update((stored) => {
        isAlone &&= stored.revision === revision;
        if (isAlone) return { messages };
        // A conversation that was forgotten meanwhile starts anew with this turn, from its question on.
        const missing = stored.messages.length === 0 ? added : added.slice(kept);
        return { messages: [...stored.messages, ...missing] };
      }, used);
      revision = state.revision;
      kept = added.length;
    },
    count: (used) => void slot.update(({ messages }) => ({ messages }), used),
  };
}
