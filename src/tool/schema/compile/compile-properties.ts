import { describeValue } from '../../texts/describe-value.ts';
import { isPlainObject, type JsonSchema } from '../../json.ts';
import { nearestNames } from '../../texts/suggest.ts';
import type { Check, CompileContext } from './check.ts';
import { compilePattern, type PatternTest } from '../pattern.ts';
import type { Report } from './report.ts';

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

/** Compiles `patternProperties` and `additionalProperties`. */
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
export function unknownKey(key: string, known: Iterable<string>, report: Report): false {
  if (report.full) return false;
  const names = [...known];
  const [nearest] = nearestNames(key, names, 1);
  const shown = names.slice(0, 20).join(', ') + (names.length > 20 ? ` and ${names.length - 20} more` : '');
  const list = names.length === 0 ? ' None are known.' : ` Known: ${shown}.`;
  const hint = nearest === undefined ? '' : ` Did you mean ${describeValue(nearest)}?`;
  // Next to the right answer, a long list is only a distraction.
  return report.addAt(key, `is not a known argument.${hint !== '' && names.length > 12 ? '' : list}${hint}`);
}
