import type { FullSubsetRules, Rewritten } from './subset-context.ts';
import type { UndoBranch } from '../restore-input.ts';
import { distinct, nodeList, type SchemaNode } from '../../../tool/parameters/schema-node.ts';

/** Joins several alternatives in one place: a single one as it is, otherwise `anyOf`. */
export function subsetUnion(
  alternatives: readonly Rewritten[],
  options: { readonly description: string; readonly rules: FullSubsetRules },
): Rewritten {
  const { description, rules } = options;
  const nullable = alternatives.some((alternative) => alternative.nullable);
  const solid = alternatives.filter((alternative) => !alternative.onlyNull);
  const chosen = solid.length > 0 ? solid : alternatives;
  const branches = distinct(
    chosen.flatMap((alternative) => flatBranches(alternative, rules)),
    (branch) => branch.schema,
  );
  const [first] = branches;
  if (first !== undefined && branches.length === 1) {
    const schema = described(first.schema, description, rules);
    return { schema, nullable, undo: first.undo, ...(solid.length > 0 ? {} : { onlyNull: true }) };
  }
  const schemas = branches.map((branch) => branch.schema);
  const schema: SchemaNode =
    rules.nulls === 'flag'
      ? { anyOf: schemas.map((branch) => described(branch, description, rules)) }
      : { ...(description === '' ? {} : { description }), anyOf: schemas };
  const undoable = branches.some((branch) => branch.undo !== undefined);
  return { schema, nullable, undo: undoable ? { kind: 'choice', branches } : undefined };
}

/** Returns the alternatives inside an alternative; one with its own description stays whole. */
function flatBranches({ schema, undo }: Rewritten, rules: FullSubsetRules): UndoBranch[] {
  if (!Array.isArray(schema['anyOf']) || (rules.nulls === 'type' && 'description' in schema)) return [{ schema, undo }];
  const undos = undo?.kind === 'choice' ? undo.branches : [];
  return nodeList(schema['anyOf']).map((branch, index) => ({ schema: branch, undo: undos[index]?.undo }));
}

function described(schema: SchemaNode, description: string, rules: FullSubsetRules): SchemaNode {
  if (description === '') return schema;
  if ('$ref' in schema) return rules.nulls === 'type' ? { description, anyOf: [schema] } : schema;
  const own = schema['description'];
  const both = typeof own === 'string' && own !== description ? `${description} ${own}` : description;
  return { ...schema, description: both };
}
