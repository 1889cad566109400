import {
  type SubsetContext,
  type FullSubsetRules,
  NEVER,
  nullOnly,
  type Place,
  type Rewritten,
} from './subset-context.ts';
import { constraintText, withRemark } from './constraint-text.ts';
import { subsetUnion } from './subset-union.ts';
import { distinct, type SchemaNode, typeList } from '../../../tool/parameters/schema-node.ts';
import { Unportable } from '../unportable.ts';

/** Rewrites a list of values: one typed list for each type, or strings if the target accepts nothing else. */
export function subsetEnum(node: SchemaNode, place: Place, context: SubsetContext): Rewritten {
  const listed: unknown[] = Array.isArray(node['enum']) ? node['enum'] : [];
  const types = typeList(node);
  const allowed = distinct(listed.filter((value) => types.length === 0 || types.some((type) => isKind(value, type))));
  const values = allowed.filter((value) => value !== null && !(context.rules.textEnums && value === ''));
  if (allowed.includes('') && context.rules.textEnums) {
    const message = `${context.provider} takes no empty text in "enum"; it was left out of the list.`;
    context.report({ path: place.path, rule: 'enum', action: 'narrowed', message });
  }
  const description = withRemark(node['description'] ?? node['title'], constraintText(node, ['default', 'examples']));
  const nullable = allowed.includes(null);
  if (values.length === 0 && !nullable)
    throw new Unportable(place.path, NEVER, 'No value of "enum" fits. Correct the list.');
  const texts = values.some((value) => isListedAsText(value, context.rules));
  const fractions = values.some((value) => typeof value === 'number' && !Number.isInteger(value));
  const groups = Map.groupBy(values, (value) => (texts ? textKind(value, context.rules) : kindOf(value, fractions)));
  const branches = [...groups].map(([kind, group]) => listOf(kind, group));
  if (texts) {
    const message = 'Values that are not text are listed as text and mapped back in calls.';
    context.report({ path: place.path, rule: 'enum', action: 'rewritten', message });
  }
  if (branches.length === 0) return nullOnly(description, context.rules);
  return { ...subsetUnion(branches, { description, rules: context.rules }), nullable };
}

function listOf(kind: string, values: readonly unknown[]): Rewritten {
  if (kind !== 'text') return { schema: { type: kind, enum: values }, nullable: false, undo: undefined };
  const texts = new Map(values.map((value) => [asText(value), value]));
  // If a string and another value look the same, the model means the string.
  for (const value of values) if (typeof value === 'string') texts.set(value, value);
  return {
    schema: { type: 'string', enum: [...texts.keys()] },
    nullable: false,
    undo: { kind: 'values', values: texts },
  };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isListedAsText(value: unknown, rules: FullSubsetRules): boolean {
  return typeof value !== 'string' && (rules.textEnums || typeof value === 'object');
}

/** Once some values are listed as text, strings join them in one list. */
function textKind(value: unknown, rules: FullSubsetRules): string {
  return typeof value === 'string' || isListedAsText(value, rules) ? 'text' : kindOf(value, true);
}

function kindOf(value: unknown, fractions: boolean): string {
  return Number.isInteger(value) && !fractions ? 'integer' : typeof value;
}

function isKind(value: unknown, type: string): boolean {
  if (value === null || type === 'null') return value === null && type === 'null';
  if (Array.isArray(value)) return type === 'array';
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
