import { isPlainObject, type JsonSchema } from '../../json.ts';
import {
  allOf,
  type Check,
  type CompileContext,
  counted,
  createSeen,
  mergeSeen,
  type Report,
  type Seen,
} from './check.ts';
import { describeValue } from '../../texts/describe-value.ts';
import { nearestNames } from '../../texts/suggest.ts';
import { compilePattern, type PatternTest } from '../pattern.ts';

type ObjectCheck = (value: Record<string, unknown>, ...rest: RestOf<Check>) => boolean;
type RestOf<F> = F extends (value: never, ...rest: infer R) => unknown ? R : never;

/** Compiles the keywords for whole objects: size, key names and dependencies between keys. */
export function compileObject(schema: JsonSchema, context: CompileContext): Check {
  const checks: Check[] = [];
  const { minProperties, maxProperties, propertyNames, dependentRequired, dependentSchemas } = schema;
  if (typeof minProperties === 'number' || typeof maxProperties === 'number') {
    checks.push(forObjects(compileSize(Number(minProperties ?? 0), Number(maxProperties ?? Infinity))));
  }
  if (propertyNames !== undefined) checks.push(forObjects(compileNames(context.compile(propertyNames))));
  for (const [key, names] of Object.entries(isPlainObject(dependentRequired) ? dependentRequired : {})) {
    if (Array.isArray(names)) checks.push(forObjects(compileDependents(key, names.map(String))));
  }
  for (const [key, dependent] of Object.entries(isPlainObject(dependentSchemas) ? dependentSchemas : {})) {
    const check = context.compile(dependent);
    checks.push(forObjects((value, report, seen) => !has(value, key) || check(value, report, seen)));
  }
  return allOf(checks);
}

function forObjects(check: ObjectCheck): Check {
  return (value, report, seen) =>
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    // It is an object, and only own keys are read.
    check(value as Record<string, unknown>, report, seen);
}

/** Returns false for a key with the value `undefined`, which JSON does not have. */
function has(value: Record<string, unknown>, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined;
}

function compileSize(least: number, most: number): ObjectCheck {
  return (value, report) => {
    let size = 0;
    for (const key in value) if (has(value, key)) size++;
    if (size >= least && size <= most) return true;
    if (report === undefined) return false;
    if (size < least) return report.add(`must have at least ${counted(least, 'key')}, got ${size}`);
    return report.add(`must have at most ${counted(most, 'key')}, got ${size}`);
  };
}

function compileNames(check: Check): ObjectCheck {
  return (value, report) => {
    let ok = true;
    for (const key in value) {
      if (!has(value, key)) continue;
      if (report === undefined) {
        if (!check(key, undefined, undefined)) return false;
        continue;
      }
      const found = report.fork();
      if (check(key, found, undefined)) continue;
      if (report.full) return false;
      ok = report.addAt(key, `has a name that is not allowed: ${found.issues[0]?.message ?? 'it breaks the schema'}`);
    }
    return ok;
  };
}

function compileDependents(key: string, names: readonly string[]): ObjectCheck {
  return (value, report) => {
    if (!has(value, key)) return true;
    let ok = true;
    for (const name of names) {
      if (has(value, name)) continue;
      if (report === undefined) return false;
      ok = report.addAt(name, `is required when ${JSON.stringify(key)} is given`);
    }
    return ok;
  };
}

/** A key named under `properties`, `required` or both. */
interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly check: Check | undefined;
}

const PARTS = ['properties', 'items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'] as const;

/** Compiles `properties` and `required`. A key with the value `undefined` is missing. */
export function compileNamedProperties(schema: JsonSchema, context: CompileContext): Check {
  const fields = readFields(schema, context);
  return (value, report, seen) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
    // It is an object, and only own keys are read.
    const object = value as Record<string, unknown>;
    let ok = true;
    for (const { name, required, check } of fields) {
      const item = object[name];
      if (item === undefined || !Object.hasOwn(object, name)) {
        if (!required) continue;
        if (report === undefined) return false;
        ok = report.addAt(name, 'is required');
      } else if (check !== undefined) {
        if (seen !== undefined) seen.keys.add(name);
        if (report === undefined) {
          if (!check(item, undefined, undefined)) return false;
        } else if (!report.at(name, check, item)) ok = false;
      }
    }
    return ok;
  };
}

function readFields(schema: JsonSchema, context: CompileContext): Field[] {
  const { properties, required } = schema;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields: Field[] = [];
  if (isPlainObject(properties)) {
    for (const name of Object.keys(properties)) {
      const isRequired = names.includes(name);
      const check = isRequired ? context.compile(properties[name]) : compileWhenMet(properties[name], context);
      fields.push({ name, required: isRequired, check });
    }
  }
  for (const name of names) {
    if (typeof name !== 'string' || (isPlainObject(properties) && Object.hasOwn(properties, name))) continue;
    fields.push({ name, required: true, check: undefined });
  }
  return fields;
}

/** Compiles a part with subschemas on first use: values never reach most of a large schema. */
function compileWhenMet(schema: unknown, context: CompileContext): Check {
  if (!isPlainObject(schema) || !PARTS.some((keyword) => schema[keyword] !== undefined)) return context.compile(schema);
  let compiled: Check | undefined;
  return (value, report, seen) => {
    compiled ??= context.compile(schema);
    return compiled(value, report, seen);
  };
}

export function compileOtherProperties(schema: JsonSchema, context: CompileContext): Check {
  const { properties, patternProperties, additionalProperties } = schema;
  const known = new Set(isPlainObject(properties) ? Object.keys(properties) : []);
  const patterns: { readonly matches: PatternTest; readonly check: Check }[] = [];
  for (const [source, item] of Object.entries(isPlainObject(patternProperties) ? patternProperties : {})) {
    patterns.push({ matches: compilePattern(source), check: context.compile(item) });
  }
  const additional = additionalProperties === undefined ? undefined : context.compile(additionalProperties);
  const closed = additionalProperties === false;

  return (value, report, seen) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
    // It is an object, and only own keys are read.
    const object = value as Record<string, unknown>;
    let ok = true;
    for (const key in object) {
      if (!Object.hasOwn(object, key)) continue;
      const item = object[key];
      if (item === undefined) continue;
      let other = !known.has(key);
      for (const { matches, check } of patterns) {
        if (!matches(key)) continue;
        other = false;
        if (seen !== undefined) seen.keys.add(key);
        if (report === undefined ? !check(item, undefined, undefined) : !report.at(key, check, item)) ok = false;
      }
      if (other && additional !== undefined) {
        if (seen !== undefined) seen.keys.add(key);
        if (report === undefined) ok = ok && additional(item, undefined, undefined);
        else if (closed) ok = unknownKey(key, known, report);
        else if (!report.at(key, additional, item)) ok = false;
      }
      if (!ok && (report === undefined || report.full)) return false;
    }
    return ok;
  };
}

/** Reports a key that the schema does not define, with those it does. */
function unknownKey(key: string, known: Iterable<string>, report: Report): false {
  if (report.full) return false;
  const names = [...known];
  const [nearest] = nearestNames(key, names, 1);
  const shown = names.slice(0, 20).join(', ') + (names.length > 20 ? ` and ${names.length - 20} more` : '');
  const list = names.length === 0 ? ' None are known.' : ` Known: ${shown}.`;
  const hint = nearest === undefined ? '' : ` Did you mean ${describeValue(nearest)}?`;
  // Next to the right answer, a long list is only a distraction.
  return report.addAt(key, `is not a known argument.${hint !== '' && names.length > 12 ? '' : list}${hint}`);
}

/** Compiles `unevaluatedProperties` and `unevaluatedItems` around the check of the rest of the schema. */
export function compileUnevaluated(schema: JsonSchema, context: CompileContext, rest: Check): Check {
  const { unevaluatedProperties, unevaluatedItems, properties } = schema;
  const forKeys = unevaluatedProperties === undefined ? undefined : context.compile(unevaluatedProperties);
  const forItems = unevaluatedItems === undefined ? undefined : context.compile(unevaluatedItems);
  const known = isPlainObject(properties) ? Object.keys(properties) : [];

  const leftKeys = (object: Record<string, unknown>, report: Parameters<Check>[1], own: Seen): boolean => {
    if (forKeys === undefined || own.allKeys) return true;
    let ok = true;
    for (const key in object) {
      if (!Object.hasOwn(object, key) || object[key] === undefined || own.keys.has(key)) continue;
      if (report === undefined) {
        if (!forKeys(object[key], undefined, undefined)) return false;
      } else if (report.full) return false;
      else if (unevaluatedProperties === false) ok = unknownKey(key, new Set([...known, ...own.keys]), report);
      else if (!report.at(key, forKeys, object[key])) ok = false;
    }
    own.allKeys = true;
    return ok;
  };

  const leftItems = (items: readonly unknown[], report: Parameters<Check>[1], own: Seen): boolean => {
    if (forItems === undefined || own.allItems) return true;
    let ok = true;
    for (const [index, item] of items.entries()) {
      if (own.items.has(index)) continue;
      if (report === undefined ? !forItems(item, undefined, undefined) : !report.at(index, forItems, item)) {
        if (report === undefined || report.full) return false;
        ok = false;
      }
    }
    own.allItems = true;
    return ok;
  };

  return (value, report, seen) => {
    if (typeof value !== 'object' || value === null) return rest(value, report, seen);
    const own = createSeen();
    let ok = rest(value, report, own);
    if (!ok && report === undefined) return false;
    // It is an object, and only own keys are read.
    const left = Array.isArray(value)
      ? leftItems(value, report, own)
      : leftKeys(value as Record<string, unknown>, report, own);
    ok = left && ok;
    if (seen !== undefined) mergeSeen(seen, own);
    return ok;
  };
}
