import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isPlainObject } from '../../tool/json.ts';
import { hashOf, type ToolPin } from './tool-pin.ts';

/** Every tool of a board, by name, as it was when a person last looked at it. */
export type ToolPins = ReadonlyMap<string, ToolPin>;

/** The lock of a board: not there, read, or unreadable. */
export type LockReading =
  | { readonly type: 'absent' }
  | {
      readonly type: 'read';
      readonly pins: ToolPins;
      /** The files that the board was made from; `undefined` in a lock that does not name them. */
      readonly files: readonly string[] | undefined;
    }
  | { readonly type: 'broken'; readonly message: string };

const VERSION = 1;

/** Reads a lock file. A hash that does not fit its definition was edited by hand, and is no good. */
export function readLock(path: string): LockReading {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isAbsent ? { type: 'absent' } : { type: 'broken', message: `cannot be read: ${String(error)}` };
  }
  try {
    return parseLock(JSON.parse(text));
  } catch {
    return { type: 'broken', message: 'is no JSON. Write it anew with pegboard lock' };
  }
}

function parseLock(value: unknown): LockReading {
  if (!isPlainObject(value) || value['version'] !== VERSION || !isPlainObject(value['tools'])) {
    return { type: 'broken', message: `is no lock of version ${VERSION}. Write it anew with pegboard lock` };
  }
  const pins = new Map<string, ToolPin>();
  for (const [name, entry] of Object.entries(value['tools'])) {
    if (!isPlainObject(entry) || typeof entry['hash'] !== 'string' || !isPlainObject(entry['definition'])) {
      return { type: 'broken', message: `has no hash and definition for ${JSON.stringify(name)}. Run pegboard lock` };
    }
    const { hash, origin, definition } = entry;
    if (hashOf(definition) !== hash) {
      const message = `has a definition of ${JSON.stringify(name)} that does not fit its hash: it was edited by hand. Run pegboard lock`;
      return { type: 'broken', message };
    }
    // The hash fits, so it is what `toPin` made.
    pins.set(name, { hash, origin: String(origin), definition: definition as unknown as ToolPin['definition'] });
  }
  const { files } = value;
  return { type: 'read', pins, files: Array.isArray(files) ? files.map(String) : undefined };
}

/** The text of a lock: sorted, so that the same board gives the same bytes. */
export function formatLock(pins: ToolPins, files: readonly string[]): string {
  const names = [...pins.keys()].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const tools = names.map((name) => {
    const { origin, hash, definition } = pins.get(name) ?? {};
    return [name, { origin, hash, definition }];
  });
  return `${JSON.stringify({ version: VERSION, files, tools: Object.fromEntries(tools) }, undefined, 2)}\n`;
}

/** Writes a lock at once, so that no other process reads half of it. */
export function writeLock(path: string, pins: ToolPins, files: readonly string[]): void {
  // A new file: a link that lies there would lead elsewhere.
  const draft = `${path}.${randomUUID()}.tmp`;
  writeFileSync(draft, formatLock(pins, files), { flag: 'wx' });
  renameSync(draft, path);
}
