import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';

/** The store space for the shapes of tool results: names and types, never values. */
const SHAPES_SPACE = 'shapes';

const MAX_DEPTH = 6;
const MAX_ITEMS = 20;
/** An object with more fields is a table whose keys are data. */
const MAX_FIELDS = 40;
/** Larger shapes are not worth a model's tokens. */
const MAX_SHAPE = 20_000;

/** Shapes of one tool's results that one program may teach. */
const MAX_SHAPES = 50;

/** Returns the shape of a value as JSON Schema, without any of its values. Keys that may be data are omitted. */
export function shapeOf(value: unknown, depth = 0): JsonSchema {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) {
    if (depth >= MAX_DEPTH || value.length === 0) return { type: 'array' };
    return {
      type: 'array',
      items: value
        .slice(0, MAX_ITEMS)
        .map((item) => shapeOf(item, depth + 1))
        .reduce(mergeShapes),
    };
  }
  if (isPlainObject(value)) {
    const entries = Object.entries(value);
    if (depth >= MAX_DEPTH) return { type: 'object' };
    if (entries.length > MAX_FIELDS || entries.some(([key]) => !isFieldName(key))) {
      const shapes = entries.slice(0, MAX_ITEMS).map(([, item]) => shapeOf(item, depth + 1));
      return { type: 'object', additionalProperties: shapes.length === 0 ? true : shapes.reduce(mergeShapes) };
    }
    const properties = Object.fromEntries(entries.map(([key, item]) => [key, shapeOf(item, depth + 1)]));
    return { type: 'object', properties, required: Object.keys(properties) };
  }
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? { type } : {};
}

/** True for field names; false for addresses, numbers and dates used as keys. */
function isFieldName(key: string): boolean {
  return /^[A-Za-z_$@][\w$-]{0,39}$/.test(key) && !/\d{3,}/.test(key);
}

/** Returns a shape that covers both. */
function mergeShapes(a: JsonSchema, b: JsonSchema): JsonSchema {
  const [first, second] = [branchesOf(a), branchesOf(b)];
  const merged: JsonSchema[] = [...first];
  for (const shape of second) {
    const at = merged.findIndex(({ type }) => type === shape['type']);
    const known = merged[at];
    if (known === undefined) merged.push(shape);
    else merged[at] = mergeAlike(known, shape);
  }
  const [only] = merged;
  return merged.length === 1 && only !== undefined ? only : { anyOf: merged };
}

function branchesOf(shape: JsonSchema): JsonSchema[] {
  const { anyOf } = shape;
  return Array.isArray(anyOf) ? anyOf.filter(isPlainObject) : [shape];
}

function mergeAlike(a: JsonSchema, b: JsonSchema): JsonSchema {
  if (a['type'] === 'array') {
    const [one, other] = [a['items'], b['items']];
    if (!isPlainObject(one)) return b;
    return isPlainObject(other) ? { type: 'array', items: mergeShapes(one, other) } : a;
  }
  if (a['type'] !== 'object') return a;
  const [tables, fields] = [[a, b].map(tableOf), [a, b].map(fieldsOf)];
  const [table, otherTable] = tables;
  if (table !== undefined || otherTable !== undefined) {
    const shapes = [...tables, ...fields.flatMap((own) => Object.values(own ?? {}))].filter(isPlainObject);
    return { type: 'object', additionalProperties: shapes.length === 0 ? true : shapes.reduce(mergeShapes) };
  }
  const [own, others] = fields;
  if (own === undefined || others === undefined) return own === undefined ? b : a;
  const keys = [...new Set([...Object.keys(own), ...Object.keys(others)])];
  const properties = Object.fromEntries(
    keys.map((key) => {
      const [one, other] = [own[key], others[key]];
      return [key, one !== undefined && other !== undefined ? mergeShapes(one, other) : (one ?? other ?? {})];
    }),
  );
  const needed = (shape: JsonSchema): unknown[] => (Array.isArray(shape['required']) ? shape['required'] : []);
  return { type: 'object', properties, required: needed(a).filter((key) => needed(b).includes(key)) };
}

function tableOf({ additionalProperties: more }: JsonSchema): JsonSchema | undefined {
  return more === true ? {} : isPlainObject(more) ? more : undefined;
}

function fieldsOf({ properties }: JsonSchema): Record<string, JsonSchema> | undefined {
  // Written by `shapeOf`: each field is a shape.
  return isPlainObject(properties) ? (properties as Record<string, JsonSchema>) : undefined;
}

/**
 * Creates a function that learns from the results of one program. Results of a known shape teach nothing, so a loop accesses the
 * store once. Failures to store are ignored: no program waits for this or fails because of it.
 */
export function createLearner(
  store: () => BoardStore | undefined,
  user: string,
): (tool: string, value: unknown) => void {
  const seen = new Map<string, Set<string>>();
  let learning = Promise.resolve();
  return (tool, value) => {
    const shapes = seen.get(tool) ?? new Set();
    seen.set(tool, shapes);
    const text = JSON.stringify(shapeOf(value));
    if (shapes.has(text) || shapes.size >= MAX_SHAPES) return;
    shapes.add(text);
    // One after the other, as each extends what the previous one wrote.
    learning = learning.then(async () => {
      try {
        const opened = store();
        if (opened !== undefined) await learnShape(opened, { user, tool }, value);
      } catch {
        // The store is unavailable, read-only or closed.
      }
    });
  };
}

/** A tool and the user of its results, empty for the user of the board: field names can be data of one user. */
interface LearnedOf {
  readonly user: string;
  readonly tool: string;
}

/** Tool names contain no brackets, so the two forms of a key never collide. */
function keyOf({ user, tool }: LearnedOf): string {
  return user === '' ? tool : JSON.stringify([user, tool]);
}

function parseKey(key: string): LearnedOf {
  if (!key.startsWith('[')) return { user: '', tool: key };
  const read: unknown = JSON.parse(key);
  const [user, tool] = Array.isArray(read) ? read : [];
  return { user: String(user), tool: String(tool) };
}

/** Adds the shape of a result to the known shape of a tool for one user; writes only changes. */
export async function learnShape(store: BoardStore, of: LearnedOf, value: unknown): Promise<void> {
  const seen = shapeOf(value);
  const space = store.space(SHAPES_SPACE);
  const known = await space.get(keyOf(of));
  const next = isPlainObject(known) ? mergeShapes(known, seen) : seen;
  const text = JSON.stringify(next);
  if (text.length > MAX_SHAPE || text === JSON.stringify(known)) return;
  await space.set(keyOf(of), next);
}

/** Reads the shapes of one user's tool results, by tool name. */
export async function readShapes(
  store: BoardStore | undefined,
  user: string,
): Promise<ReadonlyMap<string, JsonSchema>> {
  const records = (await store?.space(SHAPES_SPACE).entries()) ?? [];
  return new Map(
    records.flatMap(({ key, value }) => {
      const of = parseKey(key);
      return of.user === user && isPlainObject(value) ? [[of.tool, value] as const] : [];
    }),
  );
}

/** Deletes the learned shapes of these tools, or of all tools, for all users. Returns the number of tools. */
export async function forgetShapes(store: BoardStore, tools?: readonly string[]): Promise<number> {
  const space = store.space(SHAPES_SPACE);
  const known = (await space.entries())
    .map(({ key }) => ({ key, tool: parseKey(key).tool }))
    .filter(({ tool }) => tools === undefined || tools.includes(tool));
  for (const { key } of known) await space.delete(key);
  return new Set(known.map(({ tool }) => tool)).size;
}
