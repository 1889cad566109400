import { cleanKeywords } from './clean-keywords.ts';
import type { SubsetRules } from './subset/subset-context.ts';
import { copySchema } from './copy-schema.ts';
import type { RewrittenSchema } from '../export-tools.ts';
import { flattenRoot } from './flatten-root.ts';
import { modernSchema } from './modern-schema.ts';
import { createRefResolver, type ReportChange } from './rewrite-context.ts';
import { rewriteSubset } from './subset/rewrite-subset.ts';
import { type JsonSchemaRules, rewriteJsonSchema } from './rewrite-json-schema.ts';

/** A target's rules: it takes JSON Schema but for some places (`open`), or a subset and nothing else (`closed`). */
export type SchemaRules = ({ readonly kind: 'open' } & JsonSchemaRules) | ({ readonly kind: 'closed' } & SubsetRules);

/** Rewrites a tool's schema by a target's rules. The tool's own schema is never touched. */
export function rewriteSchema(schema: unknown, rules: SchemaRules, report: ReportChange): RewrittenSchema {
  const root = cleanKeywords(modernSchema(copySchema(schema)), report);
  const context = { resolve: createRefResolver(root), report };
  const { node, remarks } = flattenRoot(root, context);
  const rewritten =
    rules.kind === 'open' ? rewriteJsonSchema(node, rules, context) : rewriteSubset(node, rules, context);
  return { ...rewritten, remarks };
}
