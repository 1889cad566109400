import { relative } from 'node:path';
import { comparePlugins, type LockChange, mergePins, pluginOf } from '../../guard/lock/compare-pins.ts';
import { type LockPins, type PluginPins, writeLock } from '../../guard/lock/lock-file.ts';
import { findLock } from '../../guard/lock/lock-place.ts';
import type { LockMode } from '../loaded-file.ts';

/** The conditions under which plugins may run. */
export interface PluginGate {
  /** The folder of the lock. */
  readonly folder: string;
  /** The files, folders and globs of the board. */
  readonly given: readonly string[];
  readonly cwd: string;
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
 * the
 * board reports changes.
 */
export async function refusePlugins(pins: () => PluginPins, gate: PluginGate): Promise<ReadonlyMap<string, string>> {
  const { folder, given, cwd, mode = 'warn', isIgnored, approve } = gate;
  if (isIgnored || mode === 'warn') return new Map();
  const { reading, file, files, source, command } = findLock(folder, given, cwd);
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
