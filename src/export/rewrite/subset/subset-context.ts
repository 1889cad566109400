import type { SubsetRules } from '../schema-rules.ts';
import type { Undo } from '../restore-input.ts';
import type { RewriteContext } from '../rewrite-context.ts';
import { withRemark } from './constraint-text.ts';
import { nodeList, type SchemaNode } from '../../../tool/parameters/schema-node.ts';

const DEFAULTS = {
  formats: [],
  unions: true,
  refs: 'inline',
  nulls: 'type',
  allRequired: false,
  emptyObjects: true,
  textEnums: false,
} as const;

/** The rules with all defaults. */
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
  /** Keeps a reference, and exports its definition. */
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
