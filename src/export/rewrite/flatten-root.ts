import { constAsEnum, mergeNodes } from './merge-nodes.ts';
import { referenceOf } from './resolve-ref.ts';
import { type RewriteContext, ROOT_PATH } from './rewrite-context.ts';
import {
  distinct,
  keyCount,
  nodeList,
  nodeMap,
  sameJson,
  type SchemaNode,
  stringList,
  typeList,
  without,
} from './schema-node.ts';
import { Unportable } from './unportable.ts';

const MAX_HOPS = 32;
const MAX_STEPS = 2000;
const MAX_REMARK = 600;
const COMPOSITION = ['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf'];

/** The arguments as one plain object schema, and sentences that tell the model what the merge left out. */
export interface FlatRoot {
  readonly node: SchemaNode;
  readonly remarks: readonly string[];
}

/** Merges whatever stands at the top of a schema (`$ref`, `allOf`, `anyOf`, …) into one object schema. */
export function flattenRoot(root: SchemaNode, context: RewriteContext): FlatRoot {
  const remarks: string[] = [];
  let node = flatten(root, { context, remarks, hops: 0, budget: { left: MAX_STEPS } });
  for (const keyword of ['enum', 'const', 'not']) {
    if (!(keyword in node)) continue;
    node = without(node, keyword);
    const message = `"${keyword}" cannot stand at the top level; calls are still checked against it.`;
    context.report({ path: ROOT_PATH, rule: 'top level object', action: 'dropped', message });
  }
  return { node: { ...node, type: 'object', properties: nodeMap(node['properties']) }, remarks };
}

interface Flattening {
  readonly context: RewriteContext;
  readonly remarks: string[];
  readonly hops: number;
  /** Steps left before the top level counts as endless. */
  readonly budget: { left: number };
}

function flatten(start: SchemaNode, flattening: Flattening): SchemaNode {
  const { context } = flattening;
  flattening.budget.left -= 1 + keyCount(start) / 100;
  if (flattening.hops > MAX_HOPS || flattening.budget.left < 0) {
    throw new Unportable(
      ROOT_PATH,
      'top level object',
      'The top level refers to itself. Describe the arguments as one object.',
    );
  }
  const reference = referenceOf(start);
  const parts = [without(start, ...COMPOSITION), ...nodeList(start['allOf'])];
  if (reference !== undefined) parts.push(withoutDefs(context.resolve(reference, ROOT_PATH)));
  const [base = {}, ...others] = parts;
  const inner = { ...flattening, hops: flattening.hops + 1 };
  let node = mergeNodes([base, ...others.map((other) => flatten(other, inner))], (keyword) =>
    context.report({
      path: ROOT_PATH,
      rule: 'allOf',
      action: 'dropped',
      message: `Two parts disagree on "${keyword}"; the first was kept, and calls are still checked against both.`,
    }),
  );
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = nodeList(start[keyword]);
    if (branches.length > 0) node = mergeNodes([node, mergeBranches(keyword, branches, inner)]);
  }
  const types = typeList(node);
  if (types.length > 0 && !types.includes('object')) {
    const message = `The arguments are described as ${types.join(' or ')}. Wrap them in an object with one property.`;
    throw new Unportable(ROOT_PATH, 'top level object', message);
  }
  return types.length > 1 ? { ...node, type: 'object' } : node;
}

/** One object for several alternatives: all their properties, required only where every alternative requires it. */
function mergeBranches(keyword: string, branches: readonly SchemaNode[], flattening: Flattening): SchemaNode {
  const { context, remarks } = flattening;
  const objects: SchemaNode[] = [];
  for (const branch of branches) {
    try {
      const flat = flatten(branch, { ...flattening, remarks: [] });
      if (!('not' in flat) || Object.keys(flat).length > 1) objects.push(flat);
    } catch (error) {
      if (!(error instanceof Unportable) || error.rule !== 'top level object') throw error;
      const message = 'An alternative that is not an object was left out. Wrap it in an object.';
      context.report({ path: ROOT_PATH, rule: `top level ${keyword}`, action: 'dropped', message });
    }
  }
  const [first, ...rest] = objects;
  if (first === undefined) {
    throw new Unportable(
      ROOT_PATH,
      'top level object',
      `No alternative of "${keyword}" is an object. Describe the arguments as one object.`,
    );
  }
  if (rest.length === 0) return first;
  const properties = new Map<string, SchemaNode[]>();
  for (const branch of objects) {
    for (const [key, schema] of Object.entries(nodeMap(branch['properties']))) {
      properties.set(key, [...(properties.get(key) ?? []), schema]);
    }
  }
  const required = stringList(first['required']).filter((key) =>
    rest.every((branch) => stringList(branch['required']).includes(key)),
  );
  const sets = `Send the arguments of one of these: ${[...new Set(objects.map(argumentList))].join(' or ')}.`;
  remarks.push(sets.length > MAX_REMARK ? `The arguments have ${objects.length} alternative forms.` : sets);
  const message = `${objects.length} alternatives were merged into one object; the description lists them, and calls are still checked.`;
  context.report({ path: ROOT_PATH, rule: `top level ${keyword}`, action: 'rewritten', message });
  return {
    type: 'object',
    properties: Object.fromEntries([...properties].map(([key, list]) => [key, eitherOf(list)])),
    ...(required.length > 0 ? { required } : {}),
    ...(objects.every((branch) => branch['additionalProperties'] === false) ? { additionalProperties: false } : {}),
  };
}

function eitherOf(schemas: readonly SchemaNode[]): SchemaNode {
  const [first = {}, ...others] = distinct(schemas);
  if (others.length === 0) return first;
  const all = [first, ...others].map(constAsEnum);
  const listsOnly = all.every((schema) => Array.isArray(schema['enum']) && sameJson(schema['type'], all[0]?.['type']));
  if (!listsOnly) return { anyOf: [first, ...others] };
  return {
    ...all[0],
    enum: [...new Set(all.flatMap((schema) => (Array.isArray(schema['enum']) ? schema['enum'] : [])))],
  };
}

function argumentList(branch: SchemaNode): string {
  const properties = new Map(Object.entries(nodeMap(branch['properties'])));
  const required = new Set(stringList(branch['required']));
  const keys = [...new Set([...properties.keys(), ...required])];
  const words = keys.map((key) => `${key}${required.has(key) ? '' : '?'}${fixedValue(properties.get(key))}`);
  return `{ ${words.join(', ')} }`;
}

function fixedValue(schema: SchemaNode | undefined): string {
  const values = schema && constAsEnum(schema)['enum'];
  return Array.isArray(values) && values.length === 1 ? `: ${JSON.stringify(values[0])}` : '';
}

function withoutDefs(node: SchemaNode): SchemaNode {
  return without(node, '$defs');
}
