import { describeDifference } from './describe-difference.ts';
import type { LockPins, PluginPins, ToolPins } from './lock-file.ts';

/** One way in which a board is not what its lock says. */
export interface LockChange {
  readonly type: 'added' | 'removed' | 'changed' | 'renamed';
  /** The tool's name now; for a removed one, its name then. */
  readonly name: string;
  /** For a renamed one: its name then. */
  readonly previous?: string;
  readonly origin: string;
  /** What differs, a line each, hidden characters spelt out. */
  readonly lines: readonly string[];
}

/** What a change of a plugin begins its name with; no tool has a name with a blank in it. */
const PLUGIN = 'plugin ';

/** The name of the plugin that a change is of; the same text where it is of a tool. */
export function pluginOf(name: string): string {
  return name.startsWith(PLUGIN) ? name.slice(PLUGIN.length) : name;
}

/** What changed of plugins since the lock was written. */
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

/** What changed since the lock was written, plugins first. */
export function compareLock(locked: LockPins, current: LockPins): LockChange[] {
  return [...comparePlugins(locked.plugins, current.plugins), ...comparePins(locked.tools, current.tools)];
}

/** A lock with some changes in it, and the others as they were. */
export function mergePins(locked: LockPins, current: LockPins, accepted: readonly LockChange[]): LockPins {
  const [tools, plugins] = [new Map(locked.tools), new Map(locked.plugins)];
  for (const { name, previous } of accepted) {
    const plugin = pluginOf(name);
    const hash = plugin === name ? undefined : current.plugins.get(plugin);
    if (hash !== undefined) plugins.set(plugin, hash);
    if (previous !== undefined) tools.delete(previous);
    const pin = current.tools.get(name);
    if (pin !== undefined) tools.set(name, pin);
  }
  return { tools, plugins };
}

/** What changed of tools since the lock was written, in the order of names. */
export function comparePins(locked: ToolPins, current: ToolPins): LockChange[] {
  const changes: LockChange[] = [];
  const gone = new Map([...locked].filter(([name]) => !current.has(name)));
  for (const [name, pin] of current) {
    const before = locked.get(name);
    const { origin, definition } = pin;
    if (before !== undefined) {
      if (before.hash === pin.hash && before.origin === origin) continue;
      const moved = before.origin === origin ? [] : [`origin: ${before.origin} → ${origin}`];
      const lines = [...moved, ...describeDifference(before.definition, definition)];
      changes.push({ type: 'changed', name, origin, lines });
      continue;
    }
    const [previous] = [...gone].find(([, { hash }]) => hash === pin.hash) ?? [];
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
