import { isPlainObject, type JsonSchema } from '../../tool/json.ts';

interface LoopBreakerOptions {
  /** Returns the definition of a reference, and its name. */
  readonly find: (reference: string) => { readonly name: string; readonly schema: JsonSchema } | undefined;
  readonly note: (text: string) => void;
}

/** The longest chain of definitions for the same value: validators walk through them. */
const MAX_CHAIN = 200;

/**
 * Creates a function that returns definitions without references that lead back to themselves for the same value.
 *
 * A list of nodes is a useful cycle. A base that lists its kinds, each of which is "all of the base", is a cycle that no
 * validator can process: such a step is removed.
 */
export function createLoopBreaker({ find, note }: LoopBreakerOptions): (reference: string) => JsonSchema {
  const done = new Map<string, JsonSchema>();
  const open = new Set<string>();

  const breakIn = (reference: string): JsonSchema | undefined => {
    const target = find(reference);
    if (target === undefined) return {};
    const known = done.get(target.name);
    if (known !== undefined) return known;
    if (open.has(target.name)) {
      note(`The schema "${target.name}" refers to itself; that part was left out.`);
      return undefined;
    }
    if (open.size >= MAX_CHAIN) {
      note(`More than ${MAX_CHAIN} schemas refer to each other in a chain; deeper parts accept any value.`);
      return undefined;
    }
    open.add(target.name);
    const schema = clean(target.schema) ?? {};
    open.delete(target.name);
    done.set(target.name, schema);
    return schema;
  };

  /** Returns the schema without loops; `undefined` if it is only a step back. */
  const clean = (schema: JsonSchema): JsonSchema | undefined => {
    if (typeof schema['$ref'] === 'string' && breakIn(schema['$ref']) === undefined) return undefined;
    const entries = Object.entries(schema).map(([keyword, value]) => [keyword, cleanKeyword(keyword, value)] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  };

  const cleanKeyword = (keyword: string, value: unknown): unknown => {
    switch (keyword) {
      case 'allOf': {
        const parts = cleanAll(value).filter((part) => part !== undefined);
        return parts.length === 0 ? undefined : parts;
      }
      case 'anyOf':
      case 'oneOf': {
        const parts = cleanAll(value);
        return parts.includes(undefined) ? undefined : parts;
      }
      case 'not':
      case 'if':
      case 'then':
      case 'else':
        return isPlainObject(value) ? clean(value) : value;
      default:
        return value;
    }
  };

  const cleanAll = (value: unknown): unknown[] =>
    Array.isArray(value) ? value.map((part): unknown => (isPlainObject(part) ? clean(part) : part)) : [];

  return (reference) => breakIn(reference) ?? {};
}

/**
 * Counts the objects, lists and values of a document as if written out: shared parts count in each place. With `perPart`, every
 * so many characters of a text count as a part. Stops above `limit`: a few lines can stand for billions.
 */
export function countParts(value: unknown, limit: number, perPart = Infinity): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count <= limit) {
    const part = open.pop();
    count += typeof part === 'string' ? 1 + Math.floor(part.length / perPart) : 1;
    if (typeof part !== 'object' || part === null) continue;
    for (const inner of Object.values(part)) open.push(inner);
  }
  return count;
}

/** True when an acyclic document has more than `limit` levels: recursion over it would overflow the stack. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= limit; depth++) {
    const below: unknown[] = [];
    for (const part of level) {
      if (typeof part !== 'object' || part === null) continue;
      for (const inner of Object.values(part)) below.push(inner);
    }
    if (below.length === 0) return false;
    level = below;
  }
  return true;
}
