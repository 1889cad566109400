import { expandVariants } from '../../tool/parameters/expand-variants.ts';
import { constAsEnum, uniteVariants } from '../../tool/parameters/merge-nodes.ts';
import { nodeMap, type SchemaNode, stringList, typeList, without } from '../../tool/parameters/schema-node.ts';
import { type RewriteContext, ROOT_PATH, Unportable } from './rewrite-context.ts';

const MAX_REMARK = 600;

/** The arguments as one plain object schema, and sentences that tell the model what the merge dropped. */
export interface FlatRoot {
  readonly node: SchemaNode;
  readonly remarks: readonly string[];
}

/** Merges `$ref`, `allOf`, `anyOf` and the like at the top of a schema into one object schema. */
export function flattenRoot(root: SchemaNode, context: RewriteContext): FlatRoot {
  const variants = expandRoot(root, context);
  let node = uniteVariants(variants);
  const types = typeList(node);
  if (types.length > 0 && !types.includes('object')) {
    throw noObject(`The arguments are described as ${types.join(' or ')}. Wrap them in an object with one property.`);
  }
  for (const keyword of ['enum', 'const', 'not']) {
    if (!(keyword in node)) continue;
    node = without(node, keyword);
    const message = `"${keyword}" cannot stand at the top level; calls are still checked against it.`;
    context.report({ path: ROOT_PATH, rule: 'top level object', action: 'dropped', message });
  }
  const remarks = variants.length > 1 ? [listVariants(variants)] : [];
  return { node: { ...node, type: 'object', properties: nodeMap(node['properties']) }, remarks };
}

function expandRoot(root: SchemaNode, context: RewriteContext): SchemaNode[] {
  const report = (rule: string, action: 'dropped' | 'rewritten', message: string): void =>
    context.report({ path: ROOT_PATH, rule, action, message });
  return expandVariants(root, {
    find: (reference) => context.resolve(reference, ROOT_PATH),
    onLost: (keyword) =>
      report(
        'allOf',
        'dropped',
        `Two parts disagree on "${keyword}"; the first was kept, and calls are still checked against both.`,
      ),
    onDropped: (keyword) =>
      report(
        `top level ${keyword}`,
        'dropped',
        'An alternative that is not an object was left out. Wrap it in an object.',
      ),
    onAlternatives: (keyword, count) =>
      report(
        `top level ${keyword}`,
        'rewritten',
        `${count} alternatives were merged into one object; the description lists them, and calls are still checked.`,
      ),
    onNoObject(keyword) {
      throw noObject(`No alternative of "${keyword}" is an object. Describe the arguments as one object.`);
    },
    onEndless() {
      throw noObject('The top level refers to itself. Describe the arguments as one object.');
    },
  });
}

function noObject(message: string): Unportable {
  return new Unportable(ROOT_PATH, 'top level object', message);
}

function listVariants(variants: readonly SchemaNode[]): string {
  const beside = new Set(
    Object.keys(nodeMap(variants[0]?.['properties'])).filter((name) =>
      variants.every((variant) => Object.hasOwn(nodeMap(variant['properties']), name)),
    ),
  );
  const sets = new Set(variants.map((variant) => argumentList(variant, beside)));
  const text = `Send the arguments of one of these: ${[...sets].join(' or ')}.`;
  return text.length > MAX_REMARK ? `The arguments have ${variants.length} alternative forms.` : text;
}

/** Writes `{ by: "id", id, limit? }`, without arguments that every variant accepts. */
function argumentList(variant: SchemaNode, beside: ReadonlySet<string>): string {
  const properties = new Map(Object.entries(nodeMap(variant['properties'])));
  const required = new Set(stringList(variant['required']));
  const words = [...new Set([...properties.keys(), ...required])]
    .filter((name) => required.has(name) || !beside.has(name))
    .map((name) => `${name}${required.has(name) ? '' : '?'}${fixedValue(properties.get(name))}`);
  return words.length === 0 ? '{}' : `{ ${words.join(', ')} }`;
}

function fixedValue(schema: SchemaNode | undefined): string {
  const values = schema && constAsEnum(schema)['enum'];
  return Array.isArray(values) && values.length === 1 ? `: ${JSON.stringify(values[0])}` : '';
}
