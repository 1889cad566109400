import { cleanKeywords } from './clean-keywords.ts';
import type { ClosedRules } from './closed-context.ts';
import { copySchema } from './copy-schema.ts';
import type { RewrittenSchema } from '../export-tools.ts';
import { flattenRoot } from './flatten-root.ts';
import { modernSchema } from './modern-schema.ts';
import { createRefResolver } from './resolve-ref.ts';
import { rewriteClosed } from './rewrite-closed.ts';
import type { ReportChange } from './rewrite-context.ts';
import { type OpenRules, rewriteOpen } from './rewrite-open.ts';

/** A target's rules: it takes JSON Schema but for some places (`open`), or a subset and nothing else (`closed`). */
export type SchemaRules = ({ readonly kind: 'open' } & OpenRules) | ({ readonly kind: 'closed' } & ClosedRules);

/** Rewrites a tool's schema by a target's rules. The tool's own schema is never touched. */
export function rewriteSchema(schema: unknown, rules: SchemaRules, report: ReportChange): RewrittenSchema {
  const root = cleanKeywords(modernSchema(copySchema(schema)), report);
  const context = { resolve: createRefResolver(root), report };
  const { node, remarks } = flattenRoot(root, context);
  const rewritten = rules.kind === 'open' ? rewriteOpen(node, rules, context) : rewriteClosed(node, rules, context);
  return { ...rewritten, remarks };
}
