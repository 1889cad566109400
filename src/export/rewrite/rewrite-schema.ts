import { nodeList, type SchemaNode, typeList } from '../../tool/parameters/schema-node.ts';
import { checkLimits } from './check-limits.ts';
import { cleanKeywords } from './clean-keywords.ts';
import { copySchema } from './copy-schema.ts';
import { type FlatRoot, flattenRoot } from './flatten-root.ts';
import { modernSchema } from './modern-schema.ts';
import {
  createRefResolver,
  type ReportChange,
  type RewriteContext,
  type RewrittenArguments,
} from './rewrite-context.ts';
import { rewriteJsonSchema } from './rewrite-json-schema.ts';
import type { JsonSchemaRules, SchemaRules, UnchangedRules } from './schema-rules.ts';
import { rewriteSubset } from './subset/rewrite-subset.ts';
import { Unportable } from './unportable.ts';

/** A schema for a provider, the conversions of arguments, and sentences for the tool's description. */
export interface RewrittenSchema extends RewrittenArguments {
  readonly remarks: readonly string[];
}

/** The provider that a schema is rewritten for, and the receiver of its changes. */
export interface RewriteTarget {
  readonly provider: string;
  readonly report: ReportChange;
}

/**
 * Rewrites a tool's schema by a provider's rules; throws `Unportable` if they allow no version of it. Never changes the tool's
 * own schema.
 */
export function rewriteSchema(schema: unknown, rules: SchemaRules, target: RewriteTarget): RewrittenSchema {
  const provider = rules.provider ?? target.provider;
  const rewritten = rewriteByRules(copySchema(schema), rules, { provider, report: target.report });
  if (rules.limits !== undefined) checkLimits(rewritten.schema, rules.limits, provider);
  return rewritten;
}

function rewriteByRules(copy: SchemaNode, rules: SchemaRules, target: RewriteTarget): RewrittenSchema {
  if (rules.accepts === 'anything') {
    const { node, remarks } = shapeRoot(copy, rules, { resolve: createRefResolver(copy), ...target });
    const schema = '$defs' in copy ? { ...node, $defs: copy['$defs'] } : node;
    return { schema, remarks, restore: (input) => input, translate: (input) => input };
  }
  const root = cleanKeywords(modernSchema(copy), target.report);
  const context = { resolve: createRefResolver(root), ...target };
  if (rules.accepts === 'subset') {
    const { node, remarks } = flattenRoot(root, context);
    return { ...rewriteSubset(node, rules, context), remarks };
  }
  const { node, remarks } = shapeRoot(root, rules, context);
  return { ...rewriteReferences(node, rules, context), remarks };
}

/** Makes `type: object` the top level: unchanged if the rules allow that, otherwise one plain object. */
function shapeRoot(root: SchemaNode, rules: UnchangedRules | JsonSchemaRules, context: RewriteContext): FlatRoot {
  if (rules.root !== 'alternatives') return flattenRoot(root, context);
  if (root['type'] === 'object') return { node: root, remarks: [] };
  const branches = [...nodeList(root['anyOf']), ...nodeList(root['oneOf']), ...nodeList(root['allOf'])];
  const isObject =
    typeList(root).length === 0 && !('$ref' in root) && branches.every((branch) => branch['type'] === 'object');
  return isObject ? { node: { type: 'object', ...root }, remarks: [] } : flattenRoot(root, context);
}

function rewriteReferences(node: SchemaNode, rules: JsonSchemaRules, context: RewriteContext): RewrittenArguments {
  const { refs = 'keep', keys } = rules;
  if (refs !== 'inline-if-small') return rewriteJsonSchema(node, { refs, keys }, context);
  const changes: Parameters<ReportChange>[0][] = [];
  try {
    const report: ReportChange = (change) => changes.push(change);
    const written = rewriteJsonSchema(node, { refs: 'inline', keys }, { ...context, report });
    changes.forEach(context.report);
    return written;
  } catch (error) {
    if (!(error instanceof Unportable) || error.rule !== 'schema size') throw error;
    return rewriteJsonSchema(node, { refs: 'keep', keys }, context);
  }
}
