import { createDefinitions, restoreInput } from '../restore-input.ts';
import {
  type ResolveRef,
  type RewriteContext,
  type RewrittenArguments,
  ROOT_PATH,
  Unportable,
} from '../rewrite-context.ts';
import type { SubsetRules } from '../schema-rules.ts';
import { jsonText, rootObject } from './subset-object.ts';
import { type Settled, fillRules, type Place, renderNull, type SubsetContext } from './subset-context.ts';
import { subsetNode, subsetRecursion } from './subset-node.ts';
import {
  asNode,
  keyCount,
  nodeList,
  referenceOf,
  type SchemaNode,
  typeList,
  without,
} from '../../../tool/parameters/schema-node.ts';
import { constAsEnum, mergeNodes } from '../../../tool/parameters/merge-nodes.ts';

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

const MAX_HOPS = 32;
const MAX_PARTS = 500;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'description',
  'title',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/** Follows references and merges `allOf` until a plain schema object, or a reference that may stay, is left. */
function settleNode(start: SchemaNode, place: Place, context: SubsetContext): Settled {
  let node = start;
  const open = [...place.open];
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    const reference = referenceOf(node);
    if (reference !== undefined) {
      const siblings = without(node, ...REFERENCES);
      const annotated = Object.keys(siblings).every((keyword) => ANNOTATIONS.has(keyword));
      const mayStay = context.rules.refs === 'keep' && annotated;
      if (mayStay && (Object.keys(siblings).length === 0 || open.includes(reference)))
        return { kind: 'reference', reference };
      const target = without(context.resolve(reference, place.path), '$defs');
      if (open.includes(reference)) return { kind: 'recursive', reference, node: mergeNodes([siblings, target]) };
      node = mergeNodes([siblings, target]);
      open.push(reference);
    } else if (nodeList(node['allOf']).length > MAX_PARTS) {
      throw new Unportable(place.path, 'allOf', 'Written out, "allOf" has more than 500 parts. Use fewer.');
    } else if ('allOf' in node) {
      const [first = {}, ...others] = nodeList(node['allOf']);
      const rest = without(node, 'allOf');
      const parts = others.length === 0 ? [first] : followAll([first, ...others], { open, place, context });
      if (parts === undefined) return { kind: 'recursive', reference: '#/allOf', node: rest };
      context.spend([rest, ...parts], place);
      node = mergeNodes([rest, ...parts], (keyword) => {
        const message = `Two parts of "allOf" disagree on "${keyword}"; the first was kept, and calls are still checked against both.`;
        context.report({ path: place.path, rule: 'allOf', action: 'dropped', message });
      });
    } else return { kind: 'node', node: constAsEnum(node), place: { ...place, open } };
  }
  throw new Unportable(place.path, '$ref', 'The schema refers to itself without end. Describe the value directly.');
}

/** Follows the references of the parts; `undefined` when one of them is already open twice and would never end. */
function followAll(
  parts: readonly SchemaNode[],
  at: { readonly open: string[]; readonly place: Place; readonly context: SubsetContext },
): SchemaNode[] | undefined {
  const followed: SchemaNode[] = [];
  const used = new Set<string>();
  for (const part of parts) {
    let node = part;
    for (let reference = referenceOf(node); reference !== undefined; reference = referenceOf(node)) {
      const seen = reference;
      if (!used.has(seen) && at.open.filter((one) => one === seen).length >= 2) return undefined;
      if (!used.has(reference)) at.open.push(reference);
      // The same definition twice in one `allOf` adds nothing.
      const target = used.has(reference) ? {} : without(at.context.resolve(reference, at.place.path), '$defs');
      used.add(reference);
      node = mergeNodes([without(node, ...REFERENCES), target]);
    }
    followed.push(node);
  }
  return followed;
}
