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

/** The rules with every default filled in. */
export type FullSubsetRules = SubsetRules & Required<Pick<SubsetRules, keyof typeof DEFAULTS>>;

/** Fills in the defaults of rules. */
export function fillRules(rules: SubsetRules): FullSubsetRules {
  const full = { ...DEFAULTS, ...rules };
  // "Or null" behind a reference is an alternative, so references stay only where alternatives may.
  return full.unions ? full : { ...full, refs: 'inline' };
}

/** Where the rewrite stands: the argument, and the references that are being written out around it. */
export interface Place {
  readonly path: string;
  readonly depth: number;
  readonly open: readonly string[];
}

/** A place as the target takes it; whether it may be `null` is written by the place that uses it. */
export interface Rewritten {
  readonly schema: SchemaNode;
  readonly nullable: boolean;
  readonly undo: Undo | undefined;
  /** Set where `null` is the only value. */
  readonly onlyNull?: boolean;
}

/** What the rules of one rewrite share. */
export interface SubsetContext extends RewriteContext {
  readonly rules: FullSubsetRules;
  /** Rewrites an inner place. Throws `Unportable` with the rule `NEVER` where no value fits. */
  visit(node: SchemaNode, place: Place): Rewritten;
  /** Counts what a merge costs. Throws `Unportable` once that is beyond any schema written by hand. */
  spend(merged: readonly SchemaNode[], place: Place): void;
  /** Keeps a reference, and sees to it that its definition is exported. */
  keepReference(reference: string): Rewritten;
}

/** The rule of a place where no value fits. */
export const NEVER = 'no value fits';

/** A rewritten place with "or null" in the target's way of saying it. */
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

/** A place where `null` is the only value. */
export function nullOnly(description: string, rules: FullSubsetRules): Rewritten {
  const schema =
    rules.nulls === 'type'
      ? { type: 'null', ...(description === '' ? {} : { description }) }
      : { type: 'string', description: withRemark(description, 'always null') };
  return { schema, nullable: true, undo: undefined, onlyNull: true };
}
