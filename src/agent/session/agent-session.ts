import { randomUUID } from 'node:crypto';
import { isPlainObject } from '../../tool/json.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import { addUsage, type AgentUsage, NO_USAGE } from '../loop/agent-usage.ts';
import type { ModelMessage } from '../model/ai-types.ts';
import { repairHistory } from './compact-history.ts';
import { TurnLock, type TurnOptions } from './turn-lock.ts';

const SPACE = 'agent-sessions';
type StoredState = ConversationState & { readonly messages: ModelMessage[] };
const EMPTY: ConversationState = { messages: [], usage: NO_USAGE };

/** A conversation in a board's store, which continues after a restart. */
export interface AgentSession {
  readonly name: string;
  /** Reads the messages and usage so far. */
  read(): Promise<AgentConversation>;
  /** Does the work of one turn. Turns run one after the other, also across processes. */
  takeTurn<T>(work: (turn: AgentTurn) => Promise<T>, options?: TurnOptions): Promise<T>;
  /** Replaces the conversation; on disk when this resolves. */
  save(messages: readonly ModelMessage[], used?: AgentUsage): Promise<void>;
  clear(): Promise<void>;
}

/** A stored conversation. */
export interface AgentConversation {
  /** Every tool call in it has its result. */
  readonly messages: readonly ModelMessage[];
  /** Tokens and cost of all its runs. */
  readonly usage: AgentUsage;
}

/** A session in a list. */
export interface AgentSessionInfo {
  readonly name: string;
  readonly messages: number;
  readonly changedAt: number;
}

/** Opens the session with this name, or creates it. */
export function openSession(store: BoardStore, name: string): AgentSession {
  const space = store.space(SPACE);
  const slot: ConversationSlot = {
    read: async () => parseRecord(await space.get(name)),
    update: (change, used) =>
      store.transaction(async (inside) => {
        const kept = inside.space(SPACE);
        const state = nextState(parseRecord(await kept.get(name)), change, used);
        await kept.set(name, state);
        return state;
      }),
  };
  const clear = async (): Promise<void> => void (await space.delete(name));
  return toSession(name, { slot, clear, hold: (work, options) => holdTurn(store, name, { work, options }) });
}

/** One lock per session in this process; dropped when unused. */
const locks = new WeakMap<BoardStore, Map<string, TurnLock>>();

async function holdTurn<T>(
  store: BoardStore,
  name: string,
  { work, options }: { readonly work: () => Promise<T>; readonly options: TurnOptions },
): Promise<T> {
  let ofStore = locks.get(store);
  if (ofStore === undefined) locks.set(store, (ofStore = new Map()));
  let lock = ofStore.get(name);
  if (lock === undefined) ofStore.set(name, (lock = new TurnLock(name, store)));
  try {
    return await lock.hold(work, options);
  } finally {
    if (lock.isIdle) ofStore.delete(name);
  }
}

/** Creates a conversation in memory; its name is empty. */
export function createMemorySession(): AgentSession {
  let state: ConversationState = EMPTY;
  const slot: ConversationSlot = {
    read: async () => state,
    update: async (change, used) => (state = nextState(state, change, used)),
  };
  const lock = new TurnLock('');
  const clear = async (): Promise<void> => void (state = EMPTY);
  return toSession('', { slot, clear, hold: (work, options) => lock.hold(work, options) });
}

/** The differences between stored sessions and sessions in memory. */
interface SessionParts {
  readonly slot: ConversationSlot;
  readonly clear: () => Promise<void>;
  readonly hold: <T>(work: () => Promise<T>, options: TurnOptions) => Promise<T>;
}

function toSession(name: string, { slot, clear, hold }: SessionParts): AgentSession {
  return {
    name,
    async read() {
      const { messages, usage } = await slot.read();
      return { messages, usage };
    },
    takeTurn: (work, options = {}) => hold(async () => work(await startTurn(slot)), options),
    save: async (messages, used = NO_USAGE) => void (await slot.update(() => ({ messages }), used)),
    clear,
  };
}

function nextState(
  state: ConversationState,
  change: Parameters<ConversationSlot['update']>[0],
  used: AgentUsage,
): ConversationState {
  const changed = change(state);
  if (changed === undefined) return state;
  const { messages, runs = state.runs } = changed;
  return { messages: [...messages], usage: addUsage(state.usage, used), revision: randomUUID(), runs };
}

/** Lists every session of a store, least recently changed first. */
export async function listSessions(store: BoardStore): Promise<AgentSessionInfo[]> {
  return (await store.space(SPACE).entries()).map(({ key, value, changedAt }) => ({
    name: key,
    messages: parseRecord(value).messages.length,
    changedAt,
  }));
}

function parseRecord(value: unknown): ConversationState {
  if (!isPlainObject(value) || !Array.isArray(value['messages'])) return EMPTY;
  // Written only by `update`. JSON has no `undefined`, so an unknown cost is missing.
  const { messages, usage, revision, runs } = value as unknown as StoredState;
  return { messages: repairHistory(messages), usage: { ...NO_USAGE, ...usage, cost: usage.cost }, revision, runs };
}

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
interface ConversationState {
  readonly messages: readonly ModelMessage[];
  readonly usage: AgentUsage;
  /** Changes with each write; undefined before the first. */
  readonly revision?: string | undefined;
  /** Latest stored runs already in the session. */
  readonly runs?: readonly string[] | undefined;
}

/** Reads and writes the state of a session. `update` is atomic. */
interface ConversationSlot {
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
async function startTurn(slot: ConversationSlot): Promise<AgentTurn> {
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
