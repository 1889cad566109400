import type { AgentUsage } from '../loop/agent-usage.ts';
import type { ModelMessage } from '../model/ai-types.ts';

/** What one run says in a session, kept step by step. */
export interface AgentTurn {
  /** What was said before it. */
  readonly messages: readonly ModelMessage[];
  /** Tells how the conversation was then; `undefined` before the first turn, or where it is not told. */
  readonly revision?: string | undefined;
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
  /** The kept run that says all of this at once: what it said already is not said again. `revision` is that of its beginning. */
  readonly run?: { readonly id: string; readonly revision: string | undefined } | undefined;
}

/** A conversation as it is stored. */
export interface ConversationState {
  readonly messages: readonly ModelMessage[];
  readonly usage: AgentUsage;
  /** Another one each time it is kept; missing before the first. */
  readonly revision?: string | undefined;
  /** The last kept runs that have said their turn. */
  readonly runs?: readonly string[] | undefined;
}

/** Reads and writes the state of a session. No other writer comes between the two halves of `update`. */
export interface ConversationSlot {
  read(): Promise<ConversationState>;
  /** Replaces the state with what `change` makes of it, unless that is nothing, and gives the new one. */
  update(
    change: (state: ConversationState) => Pick<ConversationState, 'messages' | 'runs'> | undefined,
    used: AgentUsage,
  ): Promise<ConversationState>;
}

/** Kept runs that a conversation remembers: more than can be on their way at once. */
const MOST_RUNS = 50;

/** Starts a turn on the state as it is now. */
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
        // A conversation that was forgotten meanwhile starts anew with this turn, from its question on.
        const missing = stored.messages.length === 0 ? added : added.slice(kept);
        return { messages: [...stored.messages, ...missing], ...said };
      }, used);
      revision = state.revision;
      kept = added.length;
    },
    count: async (used) => void (await slot.update(({ messages }) => ({ messages }), used)),
  };
}
