import type {
  InstructionPins,
  LockPins,
  OfferPins,
  PackagePins,
  PluginPins,
  QueryPins,
  ToolPins,
} from './lock-file.ts';
import { isOldPin, type PinnedDefinition, toOldPin, type ToolPin } from './tool-pin.ts';
import { revealHidden } from '../../tool/texts/reveal-hidden.ts';

/** A difference between a board and its lock. */
export interface LockChange {
  readonly type: 'added' | 'removed' | 'changed' | 'renamed';
  /** The tool's current name; for a removed tool, its last name. */
  readonly name: string;
  /** For a renamed tool: its previous name. */
  readonly previous?: string;
  readonly origin: string;
  /** The differences, one per line, with hidden characters visible. */
  readonly lines: readonly string[];
}

/** Asks a person to approve changed tools. */
export type ApproveChanges = (changes: readonly LockChange[]) => boolean | Promise<boolean>;

/** The prefix of the name of a plugin's change. Tool names contain no blank. */
const PLUGIN = 'plugin ';

/** The prefix of the name of a change in a server's instructions. */
const SERVER = 'server ';

export function instructionsName(server: string): string {
  return `${SERVER}${server}`;
}

/** The prefix of the name of a change in a server's prompts and resources. */
const OFFERS = 'offers ';

/** Returns the name of a change in this server's prompts and resources. */
export function offersName(server: string): string {
  return `${OFFERS}${server}`;
}

/** The prefix of the name of a change of a server's package. */
const PACKAGE = 'package ';

/** Returns the name of a change of this server's package. */
export function packageName(server: string): string {
  return `${PACKAGE}${server}`;
}

/** The name of a change in the queries that models wrote for tools. */
export const QUERIES_NAME = 'written queries';

/** Returns the plugin that a change is about; for a change of a tool, the same text. */
export function pluginOf(name: string): string {
  return name.startsWith(PLUGIN) ? name.slice(PLUGIN.length) : name;
}

export function comparePlugins(locked: PluginPins, current: PluginPins): LockChange[] {
  return compareMaps(locked, current, (name, [before, now]) => {
    const lines = before === undefined || now === undefined ? [] : [`code: ${before} → ${now}`];
    return before === now ? undefined : { name: `${PLUGIN}${name}`, origin: 'code', lines };
  });
}

/** Lists the changes of servers' instructions; none if the lock is older than that feature. */
function compareInstructions(locked: InstructionPins | undefined, current: InstructionPins = new Map()): LockChange[] {
  return compareMaps(locked, current, (name, [before, now]) => {
    const lines = now === undefined ? [] : describeTexts('instructions', before, now);
    return before === now ? undefined : { name: instructionsName(name), origin: `mcp ${name}`, lines };
  });
}

/** Lists the changes of servers' prompts and resources, one per server; none if the lock is older than that feature. */
function compareOffers(locked: OfferPins | undefined, current: OfferPins = new Map()): LockChange[] {
  return compareMaps(locked, current, (name, [before, now]) => {
    const lines = describeObjects(before ?? {}, now ?? {});
    return lines.length === 0 ? undefined : { name: offersName(name), origin: `mcp ${name}`, lines };
  });
}

/** Lists the changes of servers' packages; none when the lock is from before they were pinned. */
function comparePackages(locked: PackagePins | undefined, current: PackagePins = new Map()): LockChange[] {
  return compareMaps(locked, current, (name, [before, now]) => {
    const lines = now === undefined ? [] : describeObjects(before ?? {}, now);
    const isSame = before !== undefined && now !== undefined && lines.length === 0;
    return isSame ? undefined : { name: packageName(name), origin: `mcp ${name}`, lines };
  });
}

/** Compares the values of each key in both maps, sorted by key. */
function compareMaps<T>(
  locked: ReadonlyMap<string, T> | undefined,
  current: ReadonlyMap<string, T>,
  compare: (name: string, values: readonly [T | undefined, T | undefined]) => Omit<LockChange, 'type'> | undefined,
): LockChange[] {
  if (locked === undefined) return [];
  return [...new Set([...locked.keys(), ...current.keys()])].toSorted().flatMap((name) => {
    const change = compare(name, [locked.get(name), current.get(name)]);
    const type = !locked.has(name) ? 'added' : !current.has(name) ? 'removed' : 'changed';
    return change === undefined ? [] : [{ type, ...change }];
  });
}

/** Returns one change for all tools whose model-written queries differ. */
function compareQueries(locked: QueryPins = new Map(), current: QueryPins = new Map()): LockChange[] {
  const words = { added: 'new', removed: 'gone', changed: 'changed', renamed: 'renamed' };
  const lines = compareMaps(locked, current, (name, [before, now]) =>
    before === now ? undefined : { name, origin: '', lines: [] },
  ).map(({ name, type }) => `${name}: ${words[type]}`);
  if (lines.length === 0) return [];
  const type = current.size === 0 ? 'removed' : locked.size === 0 ? 'added' : 'changed';
  return [{ type, name: QUERIES_NAME, origin: 'pegboard enrich', lines }];
}

/** Lists the changes since the lock was written: plugins, instructions, prompts, resources and packages of servers, queries, then tools. */
export function compareLock(locked: LockPins, current: LockPins): LockChange[] {
  return [
    ...comparePlugins(locked.plugins, current.plugins),
    ...compareInstructions(locked.instructions, current.instructions),
    ...compareOffers(locked.offers, current.offers),
    ...comparePackages(locked.packages, current.packages),
    ...compareQueries(locked.queries, current.queries),
    ...comparePins(locked.tools, current.tools),
  ];
}

/** Returns true when a lock lacks parts that are pinned now: rewriting it pins them. */
export function isOldLock(locked: LockPins, current: LockPins): boolean {
  const says = (current.instructions?.size ?? 0) > 0;
  const offers = (current.offers?.size ?? 0) > 0;
  const runs = (current.packages?.size ?? 0) > 0;
  return (
    (says && locked.instructions === undefined) ||
    (offers && locked.offers === undefined) ||
    (runs && locked.packages === undefined) ||
    [...locked.tools.values()].some(isOldPin)
  );
}

/** Returns a pin with only the parts that the lock's pin of the tool has. */
function asFarAs(locked: ToolPin, current: ToolPin): ToolPin {
  return isOldPin(locked) ? toOldPin(current) : current;
}

/** Returns a lock with some of the changes applied. */
export function mergePins(locked: LockPins, current: LockPins, accepted: readonly LockChange[]): LockPins {
  const [tools, plugins, texts] = [new Map(locked.tools), new Map(locked.plugins), new Map(locked.instructions)];
  const [offers, packages] = [new Map(locked.offers), new Map(locked.packages)];
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
    const running = name.startsWith(PACKAGE) ? name.slice(PACKAGE.length) : '';
    const pack = current.packages?.get(running);
    if (pack !== undefined) packages.set(running, pack);
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
    ...(locked.packages === undefined ? {} : { packages }),
  };
}

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

/** Maximum characters of one tool's differences: more is too long to read. */
const MAX_SHOWN = 20_000;

/**
 * Describes the differences between two definitions, one line per place: `inputSchema.properties.path.type: "string" → "number"`.
 *
 * A person decides by this text, so it is complete; beyond 20,000 characters it states clearly what is omitted.
 */
export function describeDifference(before: PinnedDefinition | undefined, after: PinnedDefinition): string[] {
  if (before === undefined) {
    const { description, risk = 'not said', annotations = {}, ...rest } = after;
    const hints = Object.keys(Object(annotations)).length === 0 ? {} : { annotations };
    const others = Object.entries({ ...rest, ...hints }).map(([key, value]) => `${key}: ${show(value)}`);
    return bound([`description: ${show(description)}`, `risk: ${revealHidden(risk)}`, ...others]);
  }
  return describeObjects(before, after);
}

function describeObjects(before: object, after: object): string[] {
  const [old, now] = [flatten(before), flatten(after)];
  const places = [...new Set([...old.keys(), ...now.keys()])];
  const lines = places.flatMap((place) => {
    const [was, is] = [old.get(place), now.get(place)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    if (typeof was === 'string' && typeof is === 'string' && was.length + is.length > 80)
      return showTexts(place, was, is);
    return [
      `${revealHidden(place)}: ${was === undefined ? '(nothing)' : show(was)} → ${is === undefined ? '(nothing)' : show(is)}`,
    ];
  });
  return bound(lines);
}

/** Describes the differences between two texts, or the whole of a new text. */
function describeTexts(place: string, was: string | undefined, is: string): string[] {
  return bound(was === undefined ? [`${place}: ${show(is)}`] : showTexts(place, was, is));
}

function bound(lines: readonly string[]): string[] {
  let room = MAX_SHOWN;
  const shown = lines.flatMap((line) => {
    const kept = line.slice(0, Math.max(0, room));
    room -= line.length;
    return kept === '' ? [] : [kept];
  });
  return room >= 0
    ? shown
    : [...shown, `NOT ALL OF IT IS SHOWN: ${(-room).toLocaleString('en')} characters are left out.`];
}

/** Long texts: omits the parts that are equal at both ends. */
function showTexts(place: string, was: string, is: string): string[] {
  let start = 0;
  while (start < Math.min(was.length, is.length) && was[start] === is[start]) start++;
  let end = 0;
  while (end < Math.min(was.length, is.length) - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const from = Math.max(0, start - 20);
  const cut = (text: string): string => {
    const middle = text.slice(from, Math.min(text.length, text.length - end + 20));
    return `${from > 0 ? '…' : ''}${middle}${end > 20 ? '…' : ''}`;
  };
  return [`${revealHidden(place)}:`, `  - ${show(cut(was))}`, `  + ${show(cut(is))}`];
}

/** Lists every leaf of a definition by its path. */
function flatten(value: unknown, place = '', leaves = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    if (value !== undefined) leaves.set(place, value);
    return leaves;
  }
  for (const [key, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${key}]` : place === '' ? key : `.${key}`;
    flatten(item, place + step, leaves);
  }
  return leaves;
}

function show(value: unknown): string {
  return revealHidden(JSON.stringify(value) ?? 'nothing');
}
