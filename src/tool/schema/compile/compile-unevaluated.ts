import { isPlainObject, type JsonSchema } from '../../json.ts';
import { type Check, type CompileContext, createSeen, mergeSeen, type Seen } from './check.ts';
import { unknownKey } from './compile-properties.ts';

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
