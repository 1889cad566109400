import { isPlainObject } from '../core/json.ts';
import type { BoardStore } from '../store/board-store.ts';
import { addUsage, type AgentUsage, NO_USAGE } from './agent-usage.ts';
import type { ModelMessage } from './ai-types.ts';
import { repairHistory } from './repair-history.ts';

const SPACE = 'agent-sessions';

/** A conversation that is kept in a board's store and goes on after a restart. */
export interface AgentSession {
  readonly name: string;
  /** What was said so far; every tool call in it has its result. */
  readonly messages: readonly ModelMessage[];
  /** Tokens and cost of all its runs. */
  readonly usage: AgentUsage;
  /** Keeps the conversation as it is now; on disk when this returns. */
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
  const read = (): { readonly messages: ModelMessage[]; readonly usage: AgentUsage } => parseRecord(space.get(name));
  return {
    name,
    get messages() {
      return read().messages;
    },
    get usage() {
      return read().usage;
    },
    save: (messages, used = NO_USAGE) =>
      store.transaction(() => space.set(name, { messages, usage: addUsage(read().usage, used) })),
    clear: () => void space.delete(name),
  };
}

/** A conversation that lasts as long as this process; its name is empty. */
export function createMemorySession(): AgentSession {
  let [kept, usage]: [readonly ModelMessage[], AgentUsage] = [[], NO_USAGE];
  return {
    name: '',
    get messages() {
      return kept;
    },
    get usage() {
      return usage;
    },
    save(messages, used = NO_USAGE) {
      kept = [...messages];
      usage = addUsage(usage, used);
    },
    clear() {
      [kept, usage] = [[], NO_USAGE];
    },
  };
}

/** Every session of a store, the longest unchanged first. */
export function listSessions(store: BoardStore): SessionInfo[] {
  return store
    .space(SPACE)
    .entries()
    .map(({ key, value, changedAt }) => ({ name: key, messages: parseRecord(value).messages.length, changedAt }));
}

function parseRecord(value: unknown): { readonly messages: ModelMessage[]; readonly usage: AgentUsage } {
  if (!isPlainObject(value) || !Array.isArray(value['messages'])) return { messages: [], usage: NO_USAGE };
  // Only `save` writes records of this space. JSON has no `undefined`, so a cost that is not known is missing.
  const { messages, usage } = value as { readonly messages: ModelMessage[]; readonly usage: AgentUsage };
  return { messages: repairHistory(messages), usage: { ...usage, cost: usage.cost } };
}
