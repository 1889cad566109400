import { isPlainObject, type JsonSchema } from '../../json.ts';
import { allOf, type Check, type CompileContext } from './check.ts';
import { counted } from './report.ts';

/** A check of an object. */
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
