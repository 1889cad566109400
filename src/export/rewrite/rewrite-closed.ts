import { acceptsNull } from './accepts-null.ts';
import { type ClosedContext, type ClosedRules, renderNull } from './closed-context.ts';
import { closedNode, closedRecursion } from './closed-node.ts';
import { rootObject } from './closed-object.ts';
import { createDefinitions } from './definitions.ts';
import { restoreInput } from './restore-input.ts';
import { type RewriteContext, type RewrittenArguments, ROOT_PATH } from './rewrite-context.ts';
import { keyCount, type SchemaNode } from '../../tool/parameters/schema-node.ts';
import { settleNode } from './settle-node.ts';
import { Unportable } from './unportable.ts';

const MAX_PLACES = 20_000;
const MAX_DEPTH = 64;
const MAX_MERGED_KEYS = 200_000;

/** Rewrites an object schema into a target's subset of JSON Schema, and says how to undo it on a call. */
export function rewriteClosed(root: SchemaNode, rules: ClosedRules, shared: RewriteContext): RewrittenArguments {
  let places = 0;
  let mergedKeys = 0;
  const definitions = createDefinitions();
  const context: ClosedContext = {
    ...shared,
    rules,
    keepReference: (reference) => {
      const target = shared.resolve(reference, reference);
      return {
        schema: { $ref: definitions.keep(reference) },
        nullable: acceptsNull(target, shared.resolve),
        undo: { kind: 'ref', reference },
      };
    },
    spend: (merged, place) => {
      mergedKeys += merged.reduce((sum, node) => sum + keyCount(node), 0);
      if (mergedKeys <= MAX_MERGED_KEYS) return;
      throw new Unportable(place.path, 'schema size', 'Merging "allOf" takes too many steps. Use fewer parts.');
    },
    visit: (start, place) => {
      places += 1;
      if (places > MAX_PLACES || place.depth > MAX_DEPTH) {
        throw new Unportable(
          place.path,
          'schema size',
          'Written out, the schema is too big or too deep. Split the tool.',
        );
      }
      const settled = settleNode(start, place, context);
      if (settled.kind === 'reference') return context.keepReference(settled.reference);
      if (settled.kind === 'recursive') return closedRecursion(settled, place, context);
      return closedNode(settled.node, settled.place, context);
    },
  };
  const main = rootObject(root, context);
  definitions.finish((reference, name) => {
    const rewritten = context.visit(shared.resolve(reference, ROOT_PATH), { path: name, depth: 0, open: [reference] });
    return { schema: renderNull(rewritten, rules), undo: rewritten.undo };
  });
  definitions.set('#', main);
  const schema = definitions.size > 0 ? { ...main.schema, $defs: definitions.schemas() } : main.schema;
  const plan = definitions.plan();
  return { schema, restore: (input) => restoreInput(input, main.undo, plan), disguise: (input) => input };
}
