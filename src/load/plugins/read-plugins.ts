import { relative } from 'node:path';
import type { PluginPins } from '../../guard/lock/lock-file.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { LoadedFile } from '../loaded-file.ts';
import { type PluginGate, refusePlugins } from './admit-plugins.ts';
import { NOT_TRUSTED } from '../board-mode.ts';
import type { Feature } from '../features/feature.ts';
import { addFeatures, addKinds, type Plugin } from './define-plugin.ts';
import { findPlugin, type FoundPlugin, hashPlugin, loadPlugin } from './load-plugins.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

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
