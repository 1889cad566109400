import { isPlainObject, type JsonSchema } from '../../json.ts';
import { allOf, type Check, type CompileContext, createSeen, mergeSeen, type Seen } from './check.ts';
import { explainAlternatives } from './explain-alternatives.ts';

/** Compiles the keywords that combine schemas: `allOf`, `anyOf`, `oneOf`, `not` and `if`/`then`/`else`. */
export function compileAlternatives(schema: JsonSchema, context: CompileContext): Check {
  const checks: Check[] = [];
  if (Array.isArray(schema['allOf'])) {
    checks.push(allOf(schema['allOf'].map((item: unknown) => context.compile(item))));
  }
  if (Array.isArray(schema['anyOf'])) checks.push(compileAnyOf(schema['anyOf'], context));
  if (Array.isArray(schema['oneOf'])) {
    const options: unknown[] = schema['oneOf'];
    checks.push(
      compileDiscriminated(options, context, () => compileOneOf(options, context)) ?? compileOneOf(options, context),
    );
  }
  if (schema['not'] !== undefined) checks.push(compileNot(schema['not'], context));
  if (schema['if'] !== undefined) checks.push(compileIf(schema, context));
  return allOf(checks);
}

/** Runs an alternative that may fail. The parts it evaluated count only if it matches. */
function attempt(check: Check, value: unknown, seen: Seen | undefined): boolean {
  if (seen === undefined) return check(value, undefined, undefined);
  const own = createSeen();
  const ok = check(value, undefined, own);
  if (ok) mergeSeen(seen, own);
  return ok;
}

function compileAnyOf(schemas: readonly unknown[], context: CompileContext): Check {
  const checks = schemas.map((item) => context.compile(item));
  return (value, report, seen) => {
    let ok = false;
    for (const check of checks) {
      if (!attempt(check, value, seen)) continue;
      if (seen === undefined) return true;
      ok = true;
    }
    if (ok || report === undefined) return ok;
    return report.adopt(
      explainAlternatives(value, { schemas: schemas.map((item) => context.follow(item)), checks, report }),
    );
  };
}

function compileOneOf(schemas: readonly unknown[], context: CompileContext): Check {
  const checks = schemas.map((item) => context.compile(item));
  return (value, report, seen) => {
    let matched = 0;
    for (const check of checks) {
      if (!attempt(check, value, seen)) continue;
      if (++matched > 1 && report === undefined) return false;
    }
    if (matched === 1) return true;
    if (report === undefined) return false;
    if (matched === 0)
      return report.adopt(
        explainAlternatives(value, { schemas: schemas.map((item) => context.follow(item)), checks, report }),
      );
    const places = checks.flatMap((check, index) => (check(value, undefined, undefined) ? [index + 1] : []));
    return report.add(
      `must match exactly one of ${checks.length} alternatives, but matches ${matched}: number ${places.join(' and ')}`,
    );
  };
}

function compileNot(schema: unknown, context: CompileContext): Check {
  const check = context.compile(schema);
  return (value, report) => {
    if (!check(value, undefined, undefined)) return true;
    return report !== undefined && report.add(explainNot(schema));
  };
}

function compileIf(schema: JsonSchema, context: CompileContext): Check {
  const condition = context.compile(schema['if']);
  const met = schema['then'] === undefined ? undefined : context.compile(schema['then']);
  const unmet = schema['else'] === undefined ? undefined : context.compile(schema['else']);
  return (value, report, seen) => {
    const branch = attempt(condition, value, seen) ? met : unmet;
    return branch === undefined || branch(value, report, seen);
  };
}

/**
 * Compiles alternatives that one key distinguishes: each requires it with a different constant.
 *
 * At most one can match, so only that one is checked, and compiled on first use. Returns `undefined` for other alternatives. `others`
 * checks values that name none of them.
 */
function compileDiscriminated(
  schemas: readonly unknown[],
  context: CompileContext,
  others: () => Check,
): Check | undefined {
  const key = findKey(schemas);
  if (key === undefined) return undefined;
  const branches = new Map(schemas.filter(isPlainObject).map((schema) => [constantOf(schema, key), schema]));
  const compiled = new Map<unknown, Check>();
  let rest: Check | undefined;
  return (value, report, seen) => {
    const name = isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    let check = compiled.get(name);
    if (check === undefined && branches.has(name)) compiled.set(name, (check = context.compile(branches.get(name))));
    check ??= rest ??= others();
    return check(value, report, seen);
  };
}

/** Finds the key that every alternative requires with a different text. */
function findKey(schemas: readonly unknown[]): string | undefined {
  const [first] = schemas;
  if (schemas.length < 2 || !isPlainObject(first) || !Array.isArray(first['required'])) return undefined;
  return first['required'].find((key: unknown): key is string => {
    if (typeof key !== 'string') return false;
    const values = schemas.map((schema) => (isPlainObject(schema) ? constantOf(schema, key) : undefined));
    return values.every((value) => typeof value === 'string') && new Set(values).size === schemas.length;
  });
}

function constantOf(schema: JsonSchema, key: string): unknown {
  const { properties, required, $ref } = schema;
  if ($ref !== undefined || !Array.isArray(required) || !required.includes(key)) return undefined;
  const property = isPlainObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isPlainObject(property) ? property['const'] : undefined;
}

/** Names arguments that exclude each other; shows any other schema. */
function explainNot(schema: unknown): string {
  const { required, ...rest } = isPlainObject(schema) ? schema : {};
  if (!Array.isArray(required) || required.length < 2 || Object.keys(rest).length > 0) {
    return `must not match ${JSON.stringify(schema).slice(0, 120)}`;
  }
  return `takes only one of ${required.join(' and ')}, not both`;
}
