import type { JsonSchema } from '../../tool/json.ts';

/** A copy of a schema in which whatever points outside of it stands for anything: nothing is ever fetched. */
export function openSchema(schema: JsonSchema): JsonSchema {
  const open = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(open);
    if (typeof node !== 'object' || node === null) return node;
    const isRemote = '$ref' in node && typeof node.$ref === 'string' && !node.$ref.startsWith('#');
    const entries = Object.entries(node).filter(([key]) => !(isRemote && key === '$ref'));
    return Object.fromEntries(entries.map(([key, value]) => [key, open(value)]));
  };
  // A copy of an object is one.
  return open(schema) as JsonSchema;
}
