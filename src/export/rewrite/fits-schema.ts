import { isPlainObject } from '../../tool/json.ts';
import {
  asNode,
  nodeList,
  ownNode,
  sameJson,
  type SchemaNode,
  stringList,
  typeList,
} from '../../tool/parameters/schema-node.ts';

const MAX_DEPTH = 64;
const MAX_STEPS = 50_000;

/** True when a value has the shape of an exported schema: enough to distinguish alternatives, not a validation. */
export function fitsSchema(
  value: unknown,
  schema: SchemaNode,
  definitions: ReadonlyMap<string, { readonly schema: SchemaNode }>,
): boolean {
  return fitsAt(value, schema, { definitions, depth: 0, budget: { left: MAX_STEPS } });
}

interface Fitting {
  readonly definitions: ReadonlyMap<string, { readonly schema: SchemaNode }>;
  readonly depth: number;
  /** Steps left before a schema that branches endlessly counts as not matching. */
  readonly budget: { left: number };
}

function fitsAt(value: unknown, schema: SchemaNode, { definitions, depth, budget }: Fitting): boolean {
  budget.left -= 1;
  if (depth > MAX_DEPTH || budget.left < 0) return false;
  const fits = (inner: unknown, node: unknown) =>
    fitsAt(inner, asNode(node), { definitions, depth: depth + 1, budget });
  if (value === null && schema['nullable'] === true) return true;
  if (typeof schema['$ref'] === 'string') return fits(value, definitions.get(schema['$ref'])?.schema);
  if (Array.isArray(schema['anyOf'])) return nodeList(schema['anyOf']).some((branch) => fits(value, branch));
  const types = typeList(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  if (Array.isArray(schema['enum']) && !schema['enum'].some((one) => sameJson(one, value))) return false;
  if (Array.isArray(value)) return value.every((item) => fits(item, schema['items']));
  if (!isPlainObject(value)) return true;
  if (!stringList(schema['required']).every((key) => Object.hasOwn(value, key))) return false;
  return Object.entries(value).every(([key, inner]) => {
    const property = ownNode(schema['properties'], key);
    return property === undefined ? false : fits(inner, property);
  });
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isPlainObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
