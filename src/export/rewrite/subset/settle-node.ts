import type { SubsetContext, Place } from './subset-context.ts';
import { constAsEnum, mergeNodes } from '../../../tool/parameters/merge-nodes.ts';
import { referenceOf } from '../../../tool/parameters/resolve-reference.ts';
import { nodeList, type SchemaNode, without } from '../../../tool/parameters/schema-node.ts';
import { Unportable } from '../unportable.ts';

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

/** A place without `allOf` and `const`, or a reference. */
export type Settled =
  | { readonly kind: 'node'; readonly node: SchemaNode; readonly place: Place }
  | { readonly kind: 'reference'; readonly reference: string }
  | { readonly kind: 'recursive'; readonly reference: string; readonly node: SchemaNode };

/** Follows references and merges `allOf` until a plain schema object, or a reference that may stay, is left. */
export function settleNode(start: SchemaNode, place: Place, context: SubsetContext): Settled {
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
