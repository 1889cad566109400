import { referenceOf } from '../../tool/parameters/resolve-reference.ts';
import type { ResolveRef } from './resolve-ref.ts';
import { asNode, nodeList, type SchemaNode, typeList } from '../../tool/parameters/schema-node.ts';

/** Whether a schema lets `null` through. */
export function acceptsNull(node: SchemaNode, resolve: ResolveRef): boolean {
  // What a reference was found to accept; `false` while it is being looked at, which ends circles.
  const known = new Map<string, boolean>();
  const follow = (reference: string): boolean => {
    const answer = known.get(reference);
    if (answer !== undefined) return answer;
    known.set(reference, false);
    const found = accepts(resolve(reference, reference));
    known.set(reference, found);
    return found;
  };
  const accepts = (schema: unknown): boolean => {
    const inner = asNode(schema);
    const reference = referenceOf(inner);
    if (reference !== undefined && !follow(reference)) return false;
    const types = typeList(inner);
    if (types.length > 0 && !types.includes('null')) return false;
    if (Array.isArray(inner['enum']) && !inner['enum'].includes(null)) return false;
    if ('const' in inner && inner['const'] !== null) return false;
    if ('not' in inner && accepts(inner['not'])) return false;
    for (const keyword of ['anyOf', 'oneOf']) {
      if (Array.isArray(inner[keyword]) && !nodeList(inner[keyword]).some(accepts)) return false;
    }
    return nodeList(inner['allOf']).every(accepts);
  };
  return accepts(node);
}
