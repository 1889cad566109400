import type { Expression, SpreadElement } from 'acorn';

/** The part of an argument that is known before the program runs. */
export interface PartialValue {
  readonly value: unknown;
  /** Paths whose values only the program knows; what is at them is missing from the value. */
  readonly holes: readonly (readonly (string | number)[])[];
}

/** Reads what stands in the code as it is. `undefined` where nothing of it is known. */
export function readLiteral(node: Expression | SpreadElement | undefined): PartialValue | undefined {
  if (node === undefined) return { value: {}, holes: [] };
  const holes: (readonly (string | number)[])[] = [];
  const value = read(node, [], holes);
  return value === UNKNOWN ? undefined : { value, holes };
}

const UNKNOWN = Symbol('unknown');

function read(
  node: Expression | SpreadElement,
  path: readonly (string | number)[],
  holes: (readonly (string | number)[])[],
): unknown {
  switch (node.type) {
    case 'Literal':
      return node.value === null || ['string', 'number', 'boolean'].includes(typeof node.value) ? node.value : UNKNOWN;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? UNKNOWN) : UNKNOWN;
    case 'UnaryExpression': {
      const value = node.argument.type === 'Literal' ? node.argument.value : undefined;
      return node.operator === '-' && typeof value === 'number' ? -value : UNKNOWN;
    }
    case 'ArrayExpression': {
      const items: unknown[] = [];
      for (const [place, element] of node.elements.entries()) {
        const value =
          element === null || element.type === 'SpreadElement' ? UNKNOWN : read(element, [...path, place], holes);
        // The rest of a list cannot be counted once one of its parts is not known.
        if (value === UNKNOWN) return UNKNOWN;
        items.push(value);
      }
      return items;
    }
    case 'ObjectExpression': {
      const object: Record<string, unknown> = {};
      for (const property of node.properties) {
        const key = property.type === 'SpreadElement' || property.computed ? undefined : keyOf(property.key);
        // What a spread brings may be any of the fields.
        if (key === undefined || property.type === 'SpreadElement') return UNKNOWN;
        const at = [...path, key];
        const value = property.kind === 'init' ? read(property.value, at, holes) : UNKNOWN;
        if (value === UNKNOWN) holes.push(at);
        else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
      }
      return object;
    }
    default:
      return UNKNOWN;
  }
}

function keyOf(node: Expression | { readonly type: 'PrivateIdentifier' }): string | undefined {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' && (typeof node.value === 'string' || typeof node.value === 'number')
    ? String(node.value)
    : undefined;
}
