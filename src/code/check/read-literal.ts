import type { Expression, SpreadElement } from 'acorn';

/** The part of an argument that is known before the program runs. */
export interface PartialValue {
  readonly value: unknown;
  /** Paths of values that are known only at run time; they are missing from `value`. */
  readonly holes: readonly (readonly (string | number)[])[];
}

/** Larger arguments are only checked by the call. */
const MOST_VALUES = 1_000;

interface Found {
  readonly holes: (readonly (string | number)[])[];
  values: number;
}

/** Reads a literal from the code. `undefined` if nothing of it is known, or it is too large. */
export function readLiteral(node: Expression | SpreadElement | undefined): PartialValue | undefined {
  if (node === undefined) return { value: {}, holes: [] };
  const found: Found = { holes: [], values: 0 };
  const value = read(node, [], found);
  return value === UNKNOWN || found.values > MOST_VALUES ? undefined : { value, holes: found.holes };
}

const UNKNOWN = Symbol('unknown');

function read(node: Expression | SpreadElement, path: readonly (string | number)[], found: Found): unknown {
  if (++found.values > MOST_VALUES) return UNKNOWN;
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
          element === null || element.type === 'SpreadElement' ? UNKNOWN : read(element, [...path, place], found);
        // After an unknown element, the positions of the following ones are unknown.
        if (value === UNKNOWN) return UNKNOWN;
        items.push(value);
      }
      return items;
    }
    case 'ObjectExpression': {
      const object: Record<string, unknown> = {};
      for (const property of node.properties) {
        const key = property.type === 'SpreadElement' || property.computed ? undefined : keyOf(property.key);
        // A spread may set any of the fields.
        if (key === undefined || property.type === 'SpreadElement') return UNKNOWN;
        const at = [...path, key];
        const value = property.kind === 'init' ? read(property.value, at, found) : UNKNOWN;
        if (value === UNKNOWN) found.holes.push(at);
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
