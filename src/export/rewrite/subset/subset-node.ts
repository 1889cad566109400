import { constraintText, withRemark } from './constraint-text.ts';
import { jsonText } from './json-text.ts';
import type { Settled } from './settle-node.ts';
import { subsetArray } from './subset-array.ts';
import { type SubsetContext, NEVER, nullOnly, type Place, type Rewritten } from './subset-context.ts';
import { subsetEnum } from './subset-enum.ts';
import { subsetObject } from './subset-object.ts';
import { subsetScalar } from './subset-scalar.ts';
import { subsetUnion } from './subset-union.ts';
import { Unportable } from '../unportable.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { nodeList, type SchemaNode, typeList, without } from '../../../tool/parameters/schema-node.ts';

const ANNOTATIONS = ['description', 'title', 'default', 'examples', '$defs'];

/** A place that contains itself, for a target that has no way of saying so. */
export function subsetRecursion(
  settled: Extract<Settled, { kind: 'recursive' }>,
  place: Place,
  context: SubsetContext,
): Rewritten {
  const name = settled.reference.split('/').at(-1) ?? '';
  // Libraries make names up; those say nothing to a model.
  const like = /^[A-Za-z]/.test(name) ? `the "${name}"` : 'the one';
  const types = typeList(settled.node);
  const node = {
    type: types.length > 0 ? types : guessTypes(settled.node),
    description: settled.node['description'],
  };
  const reason = `It contains itself, which ${context.provider} cannot describe`;
  return jsonText(node, place, { ...context, reason, like });
}

/** A schema object without references and `allOf`, by what it describes: alternatives, a list of values, a type. */
export function subsetNode(node: SchemaNode, place: Place, context: SubsetContext): Rewritten {
  const { rules } = context;
  if (isPlainObject(node['not']) && Object.keys(node['not']).length === 0) {
    throw new Unportable(place.path, NEVER, 'No value is allowed here. Remove the property.');
  }
  const keyword = ['anyOf', 'oneOf'].find((one) => nodeList(node[one]).length > 0);
  if (keyword !== undefined) return visitAlternatives(node, keyword, { place, context });
  if (Array.isArray(node['enum'])) return subsetEnum(node, place, context);
  const named = typeList(node);
  const types = named.length > 0 ? named : guessTypes(node);
  const description = describe(node);
  if (types.length === 0) {
    const message = 'Any value was allowed; a text, number, boolean or null can be sent.';
    context.report({ path: place.path, rule: 'any value', action: 'narrowed', message });
    const scalars = ['string', 'number', 'boolean'].map((type) => ({
      schema: { type },
      nullable: true,
      undo: undefined,
    }));
    return subsetUnion(scalars, { description, rules });
  }
  const nullable = types.includes('null');
  const kinds = types.filter((type) => type !== 'null');
  const [only] = kinds;
  if (only === undefined) return nullOnly(description, rules);
  if (kinds.length === 1) {
    const rewritten = visitType({ ...node, type: only }, only, { place, context });
    return { ...rewritten, nullable: nullable || rewritten.nullable };
  }
  const plain = without(node, ...ANNOTATIONS);
  const branches = kinds.map((kind) => visitType({ ...plain, type: kind }, kind, { place, context }));
  return { ...subsetUnion(branches, { description, rules }), nullable };
}

function visitType(node: SchemaNode, type: string, at: { place: Place; context: SubsetContext }): Rewritten {
  switch (type) {
    case 'object':
      return subsetObject(node, at.place, at.context);
    case 'array':
      return subsetArray(node, at.place, at.context);
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return subsetScalar(node, type, at);
    default:
      throw new Unportable(
        at.place.path,
        'type',
        `"${type}" is not a JSON type. Use string, number, integer, boolean, object, array or null.`,
      );
  }
}

/** `anyOf` or `oneOf`, with what stands beside it written into every alternative. */
function visitAlternatives(node: SchemaNode, keyword: string, at: { place: Place; context: SubsetContext }): Rewritten {
  const { place, context } = at;
  const base = without(node, keyword, ...ANNOTATIONS);
  const plain = Object.keys(base).length === 0;
  const branches = nodeList(node[keyword]).flatMap((branch) => {
    try {
      return [context.visit(plain ? branch : { allOf: [branch, base] }, { ...place, depth: place.depth + 1 })];
    } catch (error) {
      if (error instanceof Unportable && error.rule === NEVER && error.path === place.path) return [];
      throw error;
    }
  });
  if (branches.length === 0) {
    throw new Unportable(place.path, NEVER, `No alternative of "${keyword}" allows a value. Correct the list.`);
  }
  return subsetUnion(branches, { description: describe(node), rules: context.rules });
}

function describe(node: SchemaNode): string {
  return withRemark(node['description'] ?? node['title'], constraintText(node, ['default', 'examples']));
}

const HINTS: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'minProperties',
    'maxProperties',
    'propertyNames',
  ],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** The type an author had in mind who wrote keywords of one type and no `type`; empty when there is no telling. */
function guessTypes(node: SchemaNode): string[] {
  const first = Object.entries(HINTS).find(([, keywords]) => keywords.some((keyword) => keyword in node));
  return first === undefined ? [] : [first[0]];
}
