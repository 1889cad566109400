import { isPlainObject, type JsonSchema } from '../../json.ts';
import { createStepLimit } from './step-limit.ts';
import { resolveRef, type SchemaDocument, type SchemaResource } from '../schema-document.ts';

/** Gives a value with missing keys filled in: the value itself where nothing was missing, never a changed original. */
export type Fill = (value: unknown) => unknown;

/** A key with a default, or one whose value may lack defaults inside. */
interface FilledField {
  readonly name: string;
  readonly fallback: unknown;
  readonly fill: Fill | undefined;
  /** True while its default is filled: a default that holds itself ends there. */
  filling: boolean;
}

/**
 * Compiles the `default`s a schema gives to keys of objects.
 *
 * They count under `properties`, `items`, `prefixItems`, `allOf` and local references, not inside alternatives, where
 * it is open which of them applies.
 */
export function compileDefaults(schema: JsonSchema, document: SchemaDocument): Fill {
  const limit = createStepLimit();
  const fills = new Map<unknown, Fill | 'nothing' | 'pending'>();

  const compileIn = (part: unknown, from: SchemaResource): Fill | undefined => {
    if (!isPlainObject(part)) return undefined;
    const known = fills.get(part);
    if (known === 'nothing') return undefined;
    if (typeof known === 'function') return known;
    if (known === 'pending') {
      // A recursive schema, met inside itself: what it fills is known once it is compiled.
      return (value) => {
        const fill = fills.get(part);
        return typeof fill === 'function' ? fill(value) : value;
      };
    }
    fills.set(part, 'pending');
    const resource = document.byRoot.get(part) ?? from;
    const steps: Fill[] = [];
    const add = (step: Fill | undefined): void => {
      if (step !== undefined) steps.push(step);
    };
    const { $ref, allOf, properties, prefixItems, items } = part;
    if (typeof $ref === 'string') {
      const target = resolveRef(document, resource, $ref);
      if (target !== undefined) add(compileIn(target.schema, target.resource));
    }
    if (Array.isArray(allOf)) for (const item of allOf) add(compileIn(item, resource));
    if (isPlainObject(properties)) add(fillObject(properties, (item) => compileIn(item, resource)));
    if (prefixItems !== undefined || items !== undefined) {
      const prefix: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
      add(
        fillArray(
          prefix.map((item) => compileIn(item, resource)),
          compileIn(items, resource),
        ),
      );
    }
    const fill: Fill | undefined =
      steps.length === 0
        ? undefined
        : (value) => {
            limit.step();
            return steps.reduce((filled, step) => step(filled), value);
          };
    fills.set(part, fill ?? 'nothing');
    return fill;
  };
  const fillAll = compileIn(schema, document.main);
  return (value) => {
    limit.start();
    return fillAll === undefined ? value : fillAll(value);
  };
}

function fillObject(
  properties: Record<string, unknown>,
  compile: (schema: unknown) => Fill | undefined,
): Fill | undefined {
  const fields: FilledField[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const fallback = isPlainObject(schema) ? schema['default'] : undefined;
    const fill = compile(schema);
    if (fallback !== undefined || fill !== undefined) fields.push({ name, fallback, fill, filling: false });
  }
  if (fields.length === 0) return undefined;
  return (value) => {
    if (!isPlainObject(value)) return value;
    let copy: Record<string, unknown> | undefined;
    for (const field of fields) {
      const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
      const filled = given === undefined ? startOf(field) : field.fill === undefined ? given : field.fill(given);
      if (filled !== given) setOwn((copy ??= { ...value }), field.name, filled);
    }
    return copy ?? value;
  };
}

function fillArray(prefix: readonly (Fill | undefined)[], rest: Fill | undefined): Fill | undefined {
  if (rest === undefined && prefix.every((fill) => fill === undefined)) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    let copy: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      const fill = index < prefix.length ? prefix[index] : rest;
      const filled = fill === undefined ? item : fill(item);
      if (filled !== item) (copy ??= [...value])[index] = filled;
    }
    return copy ?? value;
  };
}

/** A default of its own for every call, since a tool may change what it is given, with the defaults inside it. */
function startOf(field: FilledField): unknown {
  const { fallback, fill } = field;
  if (typeof fallback !== 'object' || fallback === null) return fallback;
  const copy: unknown = structuredClone(fallback);
  if (fill === undefined || field.filling) return copy;
  field.filling = true;
  try {
    return fill(copy);
  } finally {
    field.filling = false;
  }
}

/** Sets a key as the object's own, `__proto__` included: plain assignment would change the prototype instead. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}
