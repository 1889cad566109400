import { isPlainObject, type JsonSchema } from '../../json.ts';
import { createStepLimit } from './check.ts';
import { resolveRef, type SchemaDocument, type SchemaResource } from '../schema-document.ts';

/** Fills in missing keys. Returns the value itself if nothing was missing, and never changes it. */
export type Fill = (value: unknown) => unknown;

/** A key with a default, or one whose value may lack defaults inside. */
interface FilledField {
  readonly name: string;
  readonly fallback: unknown;
  readonly fill: Fill | undefined;
  /** True while its default is filled, which ends a default that contains itself. */
  filling: boolean;
}

/**
 * Compiles the `default`s of object keys.
 *
 * They apply under `properties`, `items`, `prefixItems`, `allOf` and local references, but not inside alternatives, because it is unknown
 * which one applies.
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
      // A recursive schema inside itself: its fill is known once it is compiled.
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

/** Copies a default for every call, because a tool may change it, and fills in the defaults inside. */
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

/** Sets an own key, including `__proto__`, which plain assignment would treat as the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}
