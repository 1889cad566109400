import { randomUUID } from 'node:crypto';
import { isPlainObject } from '../core/json.ts';
import type { BoardStore } from '../store/board-store.ts';
import { addUsage, type AgentUsage, NO_USAGE } from './agent-usage.ts';
import type { ModelMessage } from './ai-types.ts';
import { repairHistory } from './repair-history.ts';
import { type SessionSlot, type SessionState, type SessionTurn, startTurn } from './session-turn.ts';

const SPACE = 'agent-sessions';
type StoredState = SessionState & { readonly messages: ModelMessage[] };
const EMPTY: SessionState = { messages: [], usage: NO_USAGE };

/** A conversation that is kept in a board's store and goes on after a restart. */
export interface AgentSession {
  readonly name: string;
  /** What was said so far; every tool call in it has its result. */
  readonly messages: readonly ModelMessage[];
  /** Tokens and cost of all its runs. */
  readonly usage: AgentUsage;
  /** Starts a turn: several may run at once, in several processes, and none loses what another kept. */
  startTurn(): SessionTurn;
  /** Replaces the conversation with this one; on disk when this returns. */
  save(messages: readonly ModelMessage[], used?: AgentUsage): void;
  clear(): void;
}

/** A session in a list. */
export interface SessionInfo {
  readonly name: string;
  readonly messages: number;
  readonly changedAt: number;
}

/** Opens the session with this name, or starts it. */
export function openSession(store: BoardStore, name: string): AgentSession {
  const space = store.space(SPACE);
  const slot: SessionSlot = {
    read: () => parseRecord(space.get(name)),
    update: (change, used) =>
      store.transaction(() => {
        const state = nextState(slot.read(), change, used);
        space.set(name, state);
        return state;
      }),
  };
  return toSession(name, slot, () => void space.delete(name));
}

/** A conversation that lasts as long as this process; its name is empty. */
export function createMemorySession(): AgentSession {
  let state: SessionState = EMPTY;
  const slot: SessionSlot = {
    read: () => state,
    update: (change, used) => (state = nextState(state, change, used)),
  };
  return toSession('', slot, () => void (state = EMPTY));
}

function toSession(name: string, slot: SessionSlot, clear: () => void): AgentSession {
  return {
    name,
    get messages() {
      return slot.read().messages;
    },
    get usage() {
      return slot.read().usage;
    },
    startTurn: () => startTurn(slot),
    save: (messages, used = NO_USAGE) => void slot.update(() => ({ messages }), used),
    clear,
  };
}

function nextState(state: SessionState, change: Parameters<SessionSlot['update']>[0], used: AgentUsage): SessionState {
  const { messages } = change(state);
  return { messages: [...messages], usage: addUsage(state.usage, used), revision: randomUUID() };
}

/** Every session of a store, the longest unchanged first. */
export function listSessions(store: BoardStore): SessionInfo[] {
  return store
    .space(SPACE)
    .entries()
    .map(({ key, value, changedAt }) => ({ name: key, messages: parseRecord(value).messages.length, changedAt }));
}

function parseRecord(value: unknown): SessionState {
  if (!isPlainObject(value) || !Array.isArray(value['messages'])) return EMPTY;
  // Only `update` writes records of this space. JSON has no `undefined`, so a cost that is not known is missing.
  const { messages, usage, revision } = value as unknown as StoredState;
  return { messages: repairHistory(messages), usage: { ...usage, cost: usage.cost }, revision };
}
