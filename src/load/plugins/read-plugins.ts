import { relative } from 'node:path';
import { findLock, type LockPins, type PluginPins, type ReadLockFile, writeLock } from '../../guard/lock/lock-file.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { LoadedFile, LockMode } from '../loaded-file.ts';
import { NOT_TRUSTED } from '../board-mode.ts';
import type { Feature } from '../features/feature.ts';
import { addFeatures, addKinds, type Plugin } from './define-plugin.ts';
import { findPlugin, type FoundPlugin, hashPlugin, loadPlugin } from './load-plugins.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { comparePlugins, type LockChange, mergePins, pluginOf } from '../../guard/lock/compare-pins.ts';

/** A plugin named by a file, and a function that reports its faults. */
interface WantedPlugin {
  readonly named: LoadedFile['plugins'][number];
  readonly addFault: (message: string, severity?: 'error' | 'warning') => void;
}

interface PluginTarget {
  readonly plugins: Plugin[];
  readonly kinds: Map<string, Kind>;
  readonly features: Feature[];
  readonly gate: PluginGate;
}

/** Loads plugins, each once, unless the lock refuses them. Returns a function that computes their pins on first use. */
export async function readPlugins(
  wanted: readonly WantedPlugin[],
  { plugins, kinds, features, gate }: PluginTarget,
): Promise<() => PluginPins> {
  const found = new Map<string, FoundPlugin>();
  const placeOf = (path: string): string => relative(gate.folder, path).replaceAll('\\', '/');
  const pinNameOf = ({ file, root }: FoundPlugin, name: string): string => {
    if (root === undefined) return placeOf(file);
    const other = found.get(name);
    // Two folders may each have a package of this name, and both are pinned.
    return other === undefined || other.file === file ? name : `${name} of ${placeOf(root)}`;
  };
  const places = wanted.flatMap(({ named, addFault }) => {
    const fail = (error: unknown): void => {
      const reason = messageOf(error);
      addFault(`the plugin "${named.name}" cannot be used: ${/[.?!]$/.test(reason) ? reason : `${reason}.`}`);
    };
    try {
      const plugin = findPlugin(named);
      const name = pinNameOf(plugin, named.name);
      found.set(name, plugin);
      return [{ name, written: named.name, plugin, fail, addFault }];
    } catch (error) {
      fail(error);
      return [];
    }
  });
  let hashes: PluginPins | undefined;
  const pins = (): PluginPins =>
    (hashes ??= new Map([...found].map(([name, plugin]) => [name, hashPlugin(plugin)] as const)));
  if (gate.isLooking) {
    for (const { written, addFault } of places)
      addFault(`the plugin "${written}" is not loaded, so its contributions are unknown: ${NOT_TRUSTED}.`, 'warning');
    return pins;
  }
  const refused = await refusePlugins(pins, gate);
  const owners = new Map<string, string>();
  for (const { name, written, plugin, fail } of places) {
    try {
      const reason = refused.get(name);
      if (reason !== undefined) throw new Error(reason);
      const fresh = (await loadPlugin(plugin)).filter((one) => !plugins.includes(one));
      const twice = addKinds(kinds, fresh);
      if (twice !== undefined) {
        const owner = owners.get(twice);
        const other = owner === undefined ? 'there is one' : `"${owner}" has one`;
        const fix = 'Rename one, or leave out one of the plugins.';
        throw new Error(`it has a kind "${twice}", but ${other} of that type already. ${fix}`);
      }
      const unfit = addFeatures(features, fresh);
      if (unfit !== undefined) throw new Error(`${unfit}. Rename one, or leave out one of the plugins.`);
      plugins.push(...fresh);
      for (const { type } of fresh.flatMap(({ kinds: own = [] }) => own)) owners.set(type, written);
    } catch (error) {
      fail(error);
    }
  }
  return pins;
}

/** The conditions under which plugins may run. */
export interface PluginGate {
  /** The folder of the lock. */
  readonly folder: string;
  /** The files, folders and globs of the board. */
  readonly given: readonly string[];
  readonly cwd: string;
  /** Reads the lock as a person accepted it. */
  readonly read: ReadLockFile | undefined;
  readonly mode: LockMode | undefined;
  /** Admits all plugins, in order to rewrite the lock. */
  readonly isIgnored: boolean;
  /** Admits none: the board is opened to look. */
  readonly isLooking: boolean;
  /** Asks a person about changes. */
  readonly approve: ((changes: readonly LockChange[]) => boolean | Promise<boolean>) | undefined;
}

const NO_PINS: LockPins = { tools: new Map(), plugins: new Map(), instructions: new Map() };

/**
 * Compares plugins with the lock before any of their code runs. Returns the reasons for refused ones. With `lock: warn` all may run, and
 * the board reports changes.
 */
async function refusePlugins(pins: () => PluginPins, gate: PluginGate): Promise<ReadonlyMap<string, string>> {
  const { cwd, mode = 'warn', isIgnored, approve } = gate;
  if (isIgnored || mode === 'warn') return new Map();
  const { reading, file, files, source, command } = findLock(gate);
  const current = pins();
  const locked = reading.type === 'read' ? reading.pins : NO_PINS;
  const changes = comparePlugins(locked.plugins, current).filter(({ type }) => type !== 'removed');
  if (changes.length === 0) return new Map();
  if (mode === 'approve' && (await approve?.(changes)) === true) {
    const next = mergePins(locked, { tools: new Map(), plugins: current }, changes);
    if (reading.type !== 'broken') writeLock(file, next, files);
    return new Map();
  }
  const shown = relative(cwd, source);
  return new Map(
    changes.map(({ name, type }) => {
      const what = type === 'changed' ? `it changed since ${shown} was written` : `it is not in ${shown}`;
      return [pluginOf(name), `${what}, and lock is ${mode}. Look at its code, then run ${command}.`];
    }),
  );
}
