import { describeDifference, describeObjects, describeTexts } from './describe-difference.ts';
import type { InstructionPins, LockPins, OfferPins, PluginPins, QueryPins, ToolPins } from './lock-file.ts';
import { isOldPin, toOldPin, type ToolPin } from './tool-pin.ts';

/** One way in which a board is not what its lock says. */
export interface LockChange {
  readonly type: 'added' | 'removed' | 'changed' | 'renamed';
  /** The tool's name now; for a removed one, its name then. */
  readonly name: string;
  /** For a renamed one: its name then. */
  readonly previous?: string;
  readonly origin: string;
  /** The differences, a line each, hidden characters spelt out. */
  readonly lines: readonly string[];
}

/** Asks a person to agree to changed tools. */
export type ApproveChanges = (changes: readonly LockChange[]) => boolean | Promise<boolean>;

/** The prefix of the name of a plugin's change; no tool has a name with a blank in it. */
const PLUGIN = 'plugin ';

/** The prefix of the name of a change of a server's instructions. */
const SERVER = 'server ';

/** Returns the name of a change of this server's instructions. */
export function instructionsName(server: string): string {
  return `${SERVER}${server}`;
}

/** The prefix of the name of a change of a server's prompts and resources. */
const OFFERS = 'offers ';

/** Returns the name of a change of this server's prompts and resources. */
export function offersName(server: string): string {
  return `${OFFERS}${server}`;
}

/** The name of a change of the queries that models wrote for tools. */
export const QUERIES_NAME = 'written queries';

/** The name of the plugin that a change is of; the same text where it is of a tool. */
export function pluginOf(name: string): string {
  return name.startsWith(PLUGIN) ? name.slice(PLUGIN.length) : name;
}

/** Lists the changes of plugins since the lock was written. */
export function comparePlugins(locked: PluginPins, current: PluginPins): LockChange[] {
  const names = [...new Set([...locked.keys(), ...current.keys()])].toSorted();
  return names.flatMap((name): LockChange[] => {
    const [before, now] = [locked.get(name), current.get(name)];
    if (before === now) return [];
    const type = before === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    const lines = type === 'changed' ? [`code: ${before} → ${now}`] : [];
    return [{ type, name: `${PLUGIN}${name}`, origin: 'code', lines }];
  });
}

/** Lists the changes of servers' instructions; none when the lock is from before they were pinned. */
function compareInstructions(locked: InstructionPins | undefined, current: InstructionPins = new Map()): LockChange[] {
  if (locked === undefined) return [];
  const names = [...new Set([...locked.keys(), ...current.keys()])].toSorted();
  return names.flatMap((name): LockChange[] => {
    const [before, now] = [locked.get(name), current.get(name)];
    if (before === now) return [];
    const type = before === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    const lines = now === undefined ? [] : describeTexts('instructions', before, now);
    return [{ type, name: instructionsName(name), origin: `mcp ${name}`, lines }];
  });
}

/** Lists the changes of servers' prompts and resources, one for each server; none when the lock is from before they were pinned. */
function compareOffers(locked: OfferPins | undefined, current: OfferPins = new Map()): LockChange[] {
  if (locked === undefined) return [];
  const names = [...new Set([...locked.keys(), ...current.keys()])].toSorted();
  return names.flatMap((name): LockChange[] => {
    const [before, now] = [locked.get(name), current.get(name)];
    const lines = describeObjects(before ?? {}, now ?? {});
    if (lines.length === 0) return [];
    const type = before === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    return [{ type, name: offersName(name), origin: `mcp ${name}`, lines }];
  });
}

/** Returns the changes of the queries that models wrote, in one change for all tools. */
function compareQueries(locked: QueryPins = new Map(), current: QueryPins = new Map()): LockChange[] {
  const names = [...new Set([...locked.keys(), ...current.keys()])].toSorted();
  const lines = names.flatMap((name) => {
    const [before, now] = [locked.get(name), current.get(name)];
    if (before === now) return [];
    return [`${name}: ${before === undefined ? 'new' : now === undefined ? 'gone' : 'changed'}`];
  });
  if (lines.length === 0) return [];
  const type = current.size === 0 ? 'removed' : locked.size === 0 ? 'added' : 'changed';
  return [{ type, name: QUERIES_NAME, origin: 'pegboard enrich', lines }];
}

/** Lists the changes since the lock was written: plugins, instructions, prompts and resources of servers, queries, then tools. */
export function compareLock(locked: LockPins, current: LockPins): LockChange[] {
  return [
    ...comparePlugins(locked.plugins, current.plugins),
    ...compareInstructions(locked.instructions, current.instructions),
    ...compareOffers(locked.offers, current.offers),
    ...compareQueries(locked.queries, current.queries),
    ...comparePins(locked.tools, current.tools),
  ];
}

/** Returns true when a lock lacks parts that are pinned now: writing it again pins them. */
export function isOldLock(locked: LockPins, current: LockPins): boolean {
  const says = (current.instructions?.size ?? 0) > 0;
  const offers = (current.offers?.size ?? 0) > 0;
  return (
    (says && locked.instructions === undefined) ||
    (offers && locked.offers === undefined) ||
    [...locked.tools.values()].some(isOldPin)
  );
}

/** A pin as far as the lock's own pin of the tool goes. */
function asFarAs(locked: ToolPin, current: ToolPin): ToolPin {
  return isOldPin(locked) ? toOldPin(current) : current;
}

/** A lock with some changes in it, and the others as they were. */
export function mergePins(locked: LockPins, current: LockPins, accepted: readonly LockChange[]): LockPins {
  const [tools, plugins, texts] = [new Map(locked.tools), new Map(locked.plugins), new Map(locked.instructions)];
  const offers = new Map(locked.offers);
  for (const { name, previous } of accepted) {
    const plugin = pluginOf(name);
    const hash = plugin === name ? undefined : current.plugins.get(plugin);
    if (hash !== undefined) plugins.set(plugin, hash);
    if (previous !== undefined) tools.delete(previous);
    const server = name.startsWith(SERVER) ? name.slice(SERVER.length) : '';
    const text = current.instructions?.get(server);
    if (text !== undefined) texts.set(server, text);
    const offering = name.startsWith(OFFERS) ? name.slice(OFFERS.length) : '';
    const items = current.offers?.get(offering);
    if (items !== undefined) offers.set(offering, items);
    const pin = current.tools.get(name);
    if (pin !== undefined) tools.set(name, pin);
  }
  const isQueried = accepted.some(({ name }) => name === QUERIES_NAME);
  return {
    tools,
    plugins,
    queries: isQueried ? current.queries : locked.queries,
    ...(locked.instructions === undefined ? {} : { instructions: texts }),
    ...(locked.offers === undefined ? {} : { offers }),
  };
}

/** Lists the changes of tools since the lock was written, in the order of names. */
export function comparePins(locked: ToolPins, current: ToolPins): LockChange[] {
  const changes: LockChange[] = [];
  const gone = new Map([...locked].filter(([name]) => !current.has(name)));
  for (const [name, pin] of current) {
    const before = locked.get(name);
    const { origin, definition } = pin;
    if (before !== undefined) {
      const comparable = asFarAs(before, pin);
      if (before.hash === comparable.hash && before.origin === origin) continue;
      const moved = before.origin === origin ? [] : [`origin: ${before.origin} → ${origin}`];
      const lines = [...moved, ...describeDifference(before.definition, comparable.definition)];
      changes.push({ type: 'changed', name, origin, lines });
      continue;
    }
    const [previous] = [...gone].find(([, old]) => old.hash === asFarAs(old, pin).hash) ?? [];
    if (previous === undefined) {
      changes.push({ type: 'added', name, origin, lines: describeDifference(undefined, definition) });
    } else {
      gone.delete(previous);
      changes.push({ type: 'renamed', name, previous, origin, lines: [`name: ${previous} → ${name}`] });
    }
  }
  for (const [name, { origin }] of gone) changes.push({ type: 'removed', name, origin, lines: [] });
  return changes.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
