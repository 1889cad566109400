import { createReferenceFinder } from '../../tool/parameters/resolve-reference.ts';
import type { SchemaNode } from '../../tool/parameters/schema-node.ts';
import { Unportable } from './unportable.ts';

/** Looks up what a `$ref` points to; throws `Unportable` when that is not inside the schema. */
export type ResolveRef = (reference: string, path: string) => SchemaNode;

/** A resolver for the `$ref`s of one schema, after `modernSchema`. */
export function createRefResolver(root: SchemaNode): ResolveRef {
  const find = createReferenceFinder(root);
  return (reference, path) => {
    const target = find(reference);
    if (target !== undefined) return target;
    const fix = reference.startsWith('#')
      ? 'Add it under $defs.'
      : 'Copy that schema under $defs: references are never fetched.';
    throw new Unportable(path, '$ref', `"${reference}" is not in the schema. ${fix}`);
  };
}
