import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { mapSubschemas, type SchemaNode } from '../../tool/parameters/schema-node.ts';
import { checkJsonSchema, type SchemaFault, showPath } from '../../tool/schema/read-json-schema.ts';

/** A schema for checking calls, and warnings for its author. */
export interface ToleratedSchema {
  readonly schema: JsonSchema;
  readonly unchecked: readonly string[];
  readonly isOld: boolean;
}

const MAX_ROUNDS = 10;

/**
 * Accepts schemas as real servers send them: converts draft-04, and does not check parts that are invalid or would have to be
 * fetched. Checks everything else.
 */
export function tolerateSchema(given: JsonSchema): ToleratedSchema {
  let faults = findFaults(given);
  const isOld = hasOldKeywords(given);
  if (faults.length === 0 && !isOld) return { schema: given, unchecked: [], isOld: false };
  // A copy of JSON from a server.
  const schema = structuredClone(readOldKeywords(given));
  const unchecked: string[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    faults = findFaults(schema);
    if (faults.length === 0) return { schema, unchecked, isOld };
    for (const { path, message } of faults) {
      unchecked.push(`${path.length === 0 ? 'its top level' : showPath(path)} ${message}`);
      removeAt(schema, path);
    }
  }
  return { schema: { type: 'object' }, unchecked, isOld };
}

function findFaults(schema: JsonSchema): readonly SchemaFault[] {
  const { type } = schema;
  const isObject = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  const root = isObject ? [] : [{ path: ['type'], message: `must be "object"; got ${JSON.stringify(type)}` }];
  return [...root, ...checkJsonSchema(schema)];
}

/** True when a schema uses keywords of draft-04 that later drafts interpret differently. */
function hasOldKeywords(schema: unknown): boolean {
  if (!isPlainObject(schema)) return false;
  let isOld =
    typeof schema['id'] === 'string' ||
    typeof schema['exclusiveMinimum'] === 'boolean' ||
    typeof schema['exclusiveMaximum'] === 'boolean';
  mapSubschemas(schema, (inner) => {
    isOld ||= hasOldKeywords(inner);
    return inner;
  });
  return isOld;
}

/** Draft-04 wrote `id` for `$id`, and `minimum: 3, exclusiveMinimum: true` for `exclusiveMinimum: 3`. */
function readOldKeywords(schema: SchemaNode): SchemaNode {
  const { id, ...rest } = mapSubschemas(schema, (inner) => (isPlainObject(inner) ? readOldKeywords(inner) : inner));
  const address = typeof id === 'string' && rest['$id'] === undefined ? { $id: id } : {};
  return { ...rest, ...address, ...readBound(rest, 'minimum'), ...readBound(rest, 'maximum') };
}

function readBound(schema: SchemaNode, name: 'minimum' | 'maximum'): SchemaNode {
  const exclusive = name === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
  if (typeof schema[exclusive] !== 'boolean') return {};
  const isExclusive = schema[exclusive] && typeof schema[name] === 'number';
  // A keyword set to `undefined` counts as missing.
  return { [exclusive]: isExclusive ? schema[name] : undefined, ...(isExclusive ? { [name]: undefined } : {}) };
}

/** Keywords that would reject more if a part were removed: they are removed as a whole. */
const WHOLE: ReadonlySet<unknown> = new Set(['not', 'oneOf', 'if']);

/** Removes the schema at a path. In a list, which must keep its positions, it is replaced by one that allows anything. */
function removeAt(schema: SchemaNode, path: readonly (string | number)[]): void {
  const end = path.findIndex((step) => WHOLE.has(step));
  const steps = (end < 0 ? path : path.slice(0, end + 1)).map(String);
  const last = steps.pop();
  let parent: unknown = schema;
  for (const step of steps) parent = Object(parent)[step];
  if (last === undefined || typeof parent !== 'object' || parent === null) return;
  if (Array.isArray(parent)) parent[Number(last)] = {};
  else Reflect.deleteProperty(parent, last);
}
