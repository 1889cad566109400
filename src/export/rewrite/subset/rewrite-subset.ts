import { createDefinitions } from '../definitions.ts';
import { type ResolveRef, type RewriteContext, type RewrittenArguments, ROOT_PATH } from '../rewrite-context.ts';
import { restoreInput } from '../restore-input.ts';
import { settleNode } from './settle-node.ts';
import type { SubsetRules } from '../schema-rules.ts';
import { jsonText } from './json-text.ts';
import { fillRules, renderNull, type SubsetContext } from './subset-context.ts';
import { subsetNode, subsetRecursion } from './subset-node.ts';
import { rootObject } from './subset-object.ts';
import { Unportable } from '../unportable.ts';
import { referenceOf } from '../../../tool/parameters/resolve-reference.ts';
import { asNode, keyCount, nodeList, type SchemaNode, typeList } from '../../../tool/parameters/schema-node.ts';

const MAX_PLACES = 20_000;
const MAX_DEPTH = 64;
const MAX_MERGED_KEYS = 200_000;

/** Rewrites an object schema into a target's subset of JSON Schema, and returns how to undo it in calls. */
export function rewriteSubset(root: SchemaNode, given: SubsetRules, shared: RewriteContext): RewrittenArguments {
  const rules = fillRules(given);
  let places = 0;
  let mergedKeys = 0;
  const definitions = createDefinitions();
  const context: SubsetContext = {
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
      if (settled.kind === 'recursive') return subsetRecursion(settled, place, context);
      const rewritten = subsetNode(settled.node, settled.place, context);
      if (rules.unions || !hasAlternatives(rewritten.schema)) return rewritten;
      const text = jsonText(settled.node, place, { ...context, reason: `${context.provider} takes no alternatives` });
      return { ...text, nullable: rewritten.nullable };
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
  return { schema, restore: (input) => restoreInput(input, main.undo, plan), translate: (input) => input };
}

/** True when a schema allows `null`. */
function acceptsNull(node: SchemaNode, resolve: ResolveRef): boolean {
  // Results for references; `false` while one is being examined, which ends cycles.
  const known = new Map<string, boolean>();
  const follow = (reference: string): boolean => {
    const answer = known.get(reference);
    if (answer !== undefined) return answer;
    known.set(reference, false);
    const found = accepts(resolve(reference, reference));
    known.set(reference, found);
    return found;
  };
  const accepts = (schema: unknown): boolean => {
    const inner = asNode(schema);
    const reference = referenceOf(inner);
    if (reference !== undefined && !follow(reference)) return false;
    const types = typeList(inner);
    if (types.length > 0 && !types.includes('null')) return false;
    if (Array.isArray(inner['enum']) && !inner['enum'].includes(null)) return false;
    if ('const' in inner && inner['const'] !== null) return false;
    if ('not' in inner && accepts(inner['not'])) return false;
    for (const keyword of ['anyOf', 'oneOf']) {
      if (Array.isArray(inner[keyword]) && !nodeList(inner[keyword]).some(accepts)) return false;
    }
    return nodeList(inner['allOf']).every(accepts);
  };
  return accepts(node);
}

/** True when alternatives occur here or in the items of a tuple. */
function hasAlternatives(schema: SchemaNode): boolean {
  return 'anyOf' in schema || 'anyOf' in asNode(schema['items']);
}
