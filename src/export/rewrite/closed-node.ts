import { isPlainObject } from '../../tool/json.ts';
import { closedArray } from './closed-array.ts';
import { type ClosedContext, NEVER, type Place, type Rewritten } from './closed-context.ts';
import { closedEnum } from './closed-enum.ts';
import { closedObject } from './closed-object.ts';
import { closedScalar } from './closed-scalar.ts';
import { closedUnion } from './closed-union.ts';
import { constraintText, withRemark } from './constraint-text.ts';
import { guessTypes } from './guess-types.ts';
import { jsonText } from './json-text.ts';
import { nullOnly } from './null-only.ts';
import { nodeList, type SchemaNode, typeList, without } from '../../tool/parameters/schema-node.ts';
import type { Settled } from './settle-node.ts';
import { Unportable } from './unportable.ts';

const ANNOTATIONS = ['description', 'title', 'default', 'examples', '$defs'];

/** A place that contains itself, for a target that has no way of saying so. */
export function closedRecursion(
  settled: Extract<Settled, { kind: 'recursive' }>,
  place: Place,
  context: ClosedContext,
): Rewritten {
  const name = settled.reference.split('/').at(-1) ?? '';
  // Libraries make names up; those say nothing to a model.
  const like = /^[A-Za-z]/.test(name) ? `the "${name}"` : 'the one';
  const types = typeList(settled.node);
  const node = {
    type: types.length > 0 ? types : guessTypes(settled.node),
    description: settled.node['description'],
  };
  const reason = `It contains itself, which ${context.rules.provider} cannot describe`;
  return jsonText(node, place, { ...context, reason, like });
}

/** A schema object without references and `allOf`, by what it describes: alternatives, a list of values, a type. */
export function closedNode(node: SchemaNode, place: Place, context: ClosedContext): Rewritten {
  const { rules } = context;
  if (isPlainObject(node['not']) && Object.keys(node['not']).length === 0) {
    throw new Unportable(place.path, NEVER, 'No value is allowed here. Remove the property.');
  }
  const keyword = ['anyOf', 'oneOf'].find((one) => nodeList(node[one]).length > 0);
  if (keyword !== undefined) return visitAlternatives(node, keyword, { place, context });
  if (Array.isArray(node['enum'])) return closedEnum(node, place, context);
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
    return closedUnion(scalars, { description, rules });
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
  return { ...closedUnion(branches, { description, rules }), nullable };
}

function visitType(node: SchemaNode, type: string, at: { place: Place; context: ClosedContext }): Rewritten {
  switch (type) {
    case 'object':
      return closedObject(node, at.place, at.context);
    case 'array':
      return closedArray(node, at.place, at.context);
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return closedScalar(node, type, at);
    default:
      throw new Unportable(
        at.place.path,
        'type',
        `"${type}" is not a JSON type. Use string, number, integer, boolean, object, array or null.`,
      );
  }
}

/** `anyOf` or `oneOf`, with what stands beside it written into every alternative. */
function visitAlternatives(node: SchemaNode, keyword: string, at: { place: Place; context: ClosedContext }): Rewritten {
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
  return closedUnion(branches, { description: describe(node), rules: context.rules });
}

function describe(node: SchemaNode): string {
  return withRemark(node['description'] ?? node['title'], constraintText(node, ['default', 'examples']));
}
