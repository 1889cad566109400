import { isPlainObject, jsonEqual, type JsonSchema } from '../../json.ts';
import {
  allOf,
  type Check,
  type CompileContext,
  createSeen,
  mergeSeen,
  type Report,
  type ReportedIssue,
  type Seen,
} from './check.ts';
import { wrongType, wrongValue } from './compile-scalar.ts';

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

const MAX_NEEDS = 8;

interface Alternatives {
  readonly schemas: readonly unknown[];
  readonly checks: readonly Check[];
  readonly report: Report;
}

/** Explains why no alternative matched, by the most likely one: a list of all would be noise. */
function explainAlternatives(value: unknown, alternatives: Alternatives): readonly ReportedIssue[] {
  const { schemas, checks, report } = alternatives;
  const tagged = explainByTag(value, alternatives);
  if (tagged !== undefined) return tagged;
  const failures = checks.map((check) => {
    const found = report.fork();
    check(value, found, undefined);
    return found.issues;
  });
  const here = report.path.length;
  const atRoot = failures.map((issues) => issues.find((issue) => issue.path.length === here));
  const found = report.fork();
  if (atRoot.every((issue) => issue?.expected !== undefined)) {
    wrongType(value, [...new Set(atRoot.flatMap((issue) => issue?.expected ?? []))], found);
    return found.issues;
  }
  if (atRoot.every((issue) => issue?.allowed !== undefined)) {
    wrongValue(value, [...new Set(atRoot.flatMap((issue) => issue?.allowed ?? []))], found);
    return found.issues;
  }
  const ranked = failures
    .map((issues, index) => ({ issues, wrong: atRoot[index]?.expected === undefined ? 0 : 1 }))
    .filter(({ issues }) => issues.length > 0)
    .toSorted((a, b) => a.wrong - b.wrong || a.issues.length - b.issues.length || depth(b.issues) - depth(a.issues));
  const [best, second] = ranked;
  const needs = best === undefined ? [] : ranked.flatMap(({ issues }) => missingKeys(issues, here));
  if (needs.length === ranked.length && new Set(needs).size > 1 && best?.issues.length === second?.issues.length) {
    const sets = [...new Set(needs)];
    const more = sets.length > MAX_NEEDS ? [`${sets.length - MAX_NEEDS} more`] : [];
    found.add(`needs ${[...sets.slice(0, MAX_NEEDS), ...more].join(' or ')}`);
    return found.issues;
  }
  if (best !== undefined) return best.issues;
  found.add(`must match one of ${schemas.length} alternatives`);
  return found.issues;
}

/** Lists the missing keys if nothing else is wrong: `id and name`. */
function missingKeys(issues: readonly ReportedIssue[], here: number): string[] {
  const isMissing = issues.every(({ path, message }) => message === 'is required' && path.length === here + 1);
  return isMissing ? [issues.map(({ path }) => path.at(-1)).join(' and ')] : [];
}

function depth(issues: readonly ReportedIssue[]): number {
  return Math.max(...issues.map((issue) => issue.path.length));
}

/** Distinguishes alternatives that each fix the same key (`kind: "a"`, `kind: "b"`) by that key. */
function explainByTag(value: unknown, alternatives: Alternatives): readonly ReportedIssue[] | undefined {
  if (!isPlainObject(value)) return undefined;
  const { schemas, checks, report } = alternatives;
  const [first] = schemas;
  for (const tag of Object.keys(propertiesOf(first))) {
    const choices = schemas.map((schema) => tagValues(propertiesOf(schema), tag));
    const all = choices.flatMap((choice) => choice ?? []);
    // A value that two alternatives allow does not distinguish them.
    if (choices.some((choice) => choice === undefined) || new Set(all).size < all.length) continue;
    if (!Object.hasOwn(value, tag)) {
      if (!schemas.every((schema) => requires(schema, tag))) continue;
      const found = report.fork();
      found.addAt(tag, `is required: one of ${all.map((choice) => JSON.stringify(choice)).join(', ')}`);
      return found.issues;
    }
    const given = value[tag];
    const index = choices.findIndex((choice) => choice?.some((item) => jsonEqual(item, given)));
    const found = report.fork();
    const check = checks[index];
    if (check === undefined) {
      found.path.push(tag);
      wrongValue(given, all, found);
    } else check(value, found, undefined);
    if (found.issues.length > 0) return found.issues;
  }
  return undefined;
}

function requires(schema: unknown, key: string): boolean {
  const required = isPlainObject(schema) ? schema['required'] : undefined;
  return Array.isArray(required) && required.includes(key);
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  const properties = isPlainObject(schema) ? schema['properties'] : undefined;
  return isPlainObject(properties) ? properties : {};
}

function tagValues(properties: Record<string, unknown>, tag: string): readonly unknown[] | undefined {
  const schema = Object.hasOwn(properties, tag) ? properties[tag] : undefined;
  if (!isPlainObject(schema)) return undefined;
  if (schema['const'] !== undefined) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined;
}
