import { isPlainObject } from '../../json.ts';
import type { Check } from './check.ts';
import { wrongType, wrongValue } from './compile-type.ts';
import { jsonEqual } from './json-equal.ts';
import type { Report, ReportedIssue } from './report.ts';

const MAX_NEEDS = 8;

interface Alternatives {
  readonly schemas: readonly unknown[];
  readonly checks: readonly Check[];
  readonly report: Report;
}

/** Explains why no alternative matched, by the most likely one: a list of all would be noise. */
export function explainAlternatives(value: unknown, alternatives: Alternatives): readonly ReportedIssue[] {
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
