import type { SubsetRules } from '../schema-rules.ts';
import type { Undo, UndoBranch } from '../restore-input.ts';
import type { RewriteContext } from '../rewrite-context.ts';
import { withRemark } from './constraint-text.ts';
import { distinct, nodeList, type SchemaNode } from '../../../tool/parameters/schema-node.ts';

const DEFAULTS = {
  formats: [],
  unions: true,
  refs: 'inline',
  nulls: 'type',
  allRequired: false,
  emptyObjects: true,
  textEnums: false,
} as const;

export type FullSubsetRules = SubsetRules & Required<Pick<SubsetRules, keyof typeof DEFAULTS>>;

export function fillRules(rules: SubsetRules): FullSubsetRules {
  const full = { ...DEFAULTS, ...rules };
  // "Or null" beside a reference is an alternative, so references stay only if alternatives are accepted.
  return full.unions ? full : { ...full, refs: 'inline' };
}

/** The current position: the argument, and the references being inlined around it. */
export interface Place {
  readonly path: string;
  readonly depth: number;
  readonly open: readonly string[];
}

/** A place without `allOf` and `const`, or a reference. */
export type Settled =
  | { readonly kind: 'node'; readonly node: SchemaNode; readonly place: Place }
  | { readonly kind: 'reference'; readonly reference: string }
  | { readonly kind: 'recursive'; readonly reference: string; readonly node: SchemaNode };

/** A rewritten place; the place that uses it adds `null`. */
export interface Rewritten {
  readonly schema: SchemaNode;
  readonly nullable: boolean;
  readonly undo: Undo | undefined;
  /** Set when `null` is the only value. */
  readonly onlyNull?: boolean;
}

/** The state that all rules of one rewrite share. */
export interface SubsetContext extends RewriteContext {
  readonly rules: FullSubsetRules;
  /** Rewrites an inner place. Throws `Unportable` with the rule `NEVER` if no value fits. */
  visit(node: SchemaNode, place: Place): Rewritten;
  /** Counts the cost of a merge. Throws `Unportable` when it exceeds that of any schema written by hand. */
  spend(merged: readonly SchemaNode[], place: Place): void;
  keepReference(reference: string): Rewritten;
}

/** The rule of a place where no value fits. */
export const NEVER = 'no value fits';

/** Adds "or null" to a rewritten place, as the target writes it. */
export function renderNull(
  { schema, nullable }: Pick<Rewritten, 'schema' | 'nullable'>,
  rules: FullSubsetRules,
): SchemaNode {
  if (!nullable || schema['type'] === 'null') return schema;
  const values: unknown[] | undefined = Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  if (Array.isArray(schema['anyOf'])) {
    const branches = nodeList(schema['anyOf']);
    const all = rules.nulls === 'flag' ? branches.map(withFlag) : [...branches, { type: 'null' }];
    return { ...schema, anyOf: all };
  }
  if (rules.nulls === 'flag') return withFlag(schema);
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema['type'], 'null'], ...(values ? { enum: [...values, null] } : {}) };
}

function withFlag(schema: SchemaNode): SchemaNode {
  return { ...schema, nullable: true };
}

/** Returns a place where `null` is the only value. */
export function nullOnly(description: string, rules: FullSubsetRules): Rewritten {
  const schema =
    rules.nulls === 'type'
      ? { type: 'null', ...(description === '' ? {} : { description }) }
      : { type: 'string', description: withRemark(description, 'always null') };
  return { schema, nullable: true, undo: undefined, onlyNull: true };
}

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
