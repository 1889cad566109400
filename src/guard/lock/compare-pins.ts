import { describeDifference } from './describe-difference.ts';
import type { ToolPins } from './lock-file.ts';

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

/** What changed since the lock was written, in the order of names. */
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
