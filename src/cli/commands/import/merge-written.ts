import { createHash } from 'node:crypto';
import { isPlainObject } from '../../../tool/json.ts';

/** Hashes of the parts that an import wrote, keyed by the hashes of their paths. */
export type WrittenParts = ReadonlyMap<string, string>;

/** Parts below this depth are compared as a whole: `schema.properties.NAME.KEYWORD` is the deepest. */
const MAX_DEPTH = 4;
/** The length of a hash: 24 bits are enough to detect a change. */
const HASH = 4;

/** Hashes all parts of a generated value. */
export function hashParts(value: unknown): WrittenParts {
  return new Map([...listParts(value)].map(([path, part]) => [hash(path), hash(toStable(part))]));
}

/** Joins hashes into one text. */
export function formatParts(parts: WrittenParts): string {
  return [...parts].map(([path, part]) => path + part).join('');
}

/** Splits such a text into hashes. */
export function parseParts(text: string): WrittenParts {
  const pairs = text.match(/.{8}/g) ?? [];
  return new Map(pairs.map((pair) => [pair.slice(0, HASH), pair.slice(HASH)]));
}

/** The result of a three-way merge. */
export interface Merged {
  readonly value: unknown;
  /** Paths that both sides changed; the file's version stayed. */
  readonly kept: readonly string[];
}

/**
 * Merges a file with what an import would write now: keeps what a person changed since the last import, and takes what changed in
 * the source.
 */
export function mergeWritten(current: unknown, next: unknown, written: WrittenParts): Merged {
  const mine = listParts(current);
  const theirs = listParts(next);
  const merged = new Map<string, unknown>();
  const kept: string[] = [];
  for (const path of new Set([...mine.keys(), ...theirs.keys()])) {
    const before = written.get(hash(path));
    const isMine = mine.has(path);
    const isTheirs = theirs.has(path);
    const own = isMine ? hash(toStable(mine.get(path))) : undefined;
    const other = isTheirs ? hash(toStable(theirs.get(path))) : undefined;
    const isUntouched = before === undefined ? !isMine : own === before;
    if (isUntouched) {
      if (isTheirs) merged.set(path, theirs.get(path));
      continue;
    }
    if (isMine) merged.set(path, mine.get(path));
    if (own !== other && other !== before && (before !== undefined || isTheirs)) kept.push(path.replaceAll('\0', '.'));
  }
  return { value: build(merged), kept };
}

/** Lists the parts of a value by path, with NUL between steps. */
function listParts(value: unknown): Map<string, unknown> {
  const parts = new Map<string, unknown>();
  const visit = (part: unknown, path: readonly string[]): void => {
    const isOpen =
      path.length < MAX_DEPTH && (isPlainObject(part) || (path.join('.') === 'requests' && Array.isArray(part)));
    const entries = isOpen ? Object.entries(part) : [];
    if (entries.length === 0) parts.set(path.join('\0'), part);
    else for (const [key, inner] of entries) visit(inner, [...path, key]);
  };
  visit(value, []);
  return parts;
}

type Tree = Map<string, Tree | { readonly leaf: unknown }>;

function build(parts: ReadonlyMap<string, unknown>): unknown {
  const root: Tree = new Map();
  for (const [path, leaf] of parts) {
    const steps = path.split('\0');
    const last = steps.pop() ?? '';
    let place: Tree = root;
    for (const step of steps) {
      const next = place.get(step);
      if (next instanceof Map) place = next;
      else {
        const made: Tree = new Map();
        place.set(step, made);
        place = made;
      }
    }
    // An object that is empty on one side may have parts on the other.
    if (!(place.get(last) instanceof Map)) place.set(last, { leaf });
  }
  const toValue = (tree: Tree): Record<string, unknown> =>
    Object.fromEntries([...tree].map(([key, part]) => [key, part instanceof Map ? toValue(part) : part.leaf]));
  const value = toValue(root);
  return isPlainObject(value['requests']) ? { ...value, requests: Object.values(value['requests']) } : value;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, HASH);
}

/** Formats JSON with sorted keys, so that moving keys is not a change. */
function toStable(value: unknown): string {
  return (
    JSON.stringify(value, (_, part: unknown) =>
      isPlainObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
    ) ?? ''
  );
}
