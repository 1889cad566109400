import { firstDuplicate, type JsonSchema } from '../../json.ts';
import { allOf, type Check, type CompileContext, counted } from './check.ts';

type ArrayCheck = (items: readonly unknown[], ...rest: RestOf<Check>) => boolean;
type RestOf<F> = F extends (value: never, ...rest: infer R) => unknown ? R : never;

export function compileArray(schema: JsonSchema, context: CompileContext): Check {
  const checks: ArrayCheck[] = [];
  const { minItems, maxItems, uniqueItems, prefixItems, items, contains } = schema;
  if (typeof minItems === 'number') {
    checks.push(
      (list, report) =>
        list.length >= minItems ||
        (report !== undefined && report.add(`must have at least ${counted(minItems, 'item')}, got ${list.length}`)),
    );
  }
  if (typeof maxItems === 'number') {
    checks.push(
      (list, report) =>
        list.length <= maxItems ||
        (report !== undefined && report.add(`must have at most ${counted(maxItems, 'item')}, got ${list.length}`)),
    );
  }
  if (prefixItems !== undefined || items !== undefined) {
    const prefix: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
    checks.push(
      compileItems(
        prefix.map((item) => context.compile(item)),
        items === undefined ? undefined : context.compile(items),
      ),
    );
  }
  if (contains !== undefined) checks.push(compileContains(schema, context));
  if (uniqueItems === true) checks.push(checkUnique);
  return allOf(
    checks.map(
      (check): Check =>
        (value, report, seen) =>
          !Array.isArray(value) || check(value, report, seen),
    ),
  );
}

function compileItems(prefix: readonly Check[], rest: Check | undefined): ArrayCheck {
  return (list, report, seen) => {
    let ok = true;
    const end = rest === undefined ? Math.min(prefix.length, list.length) : list.length;
    for (let index = 0; index < end; index++) {
      const check = prefix[index] ?? rest;
      if (check === undefined) break;
      if (report === undefined) {
        if (!check(list[index], undefined, undefined)) return false;
      } else if (!report.at(index, check, list[index])) {
        ok = false;
        if (report.full) break;
      }
    }
    if (seen !== undefined) {
      if (rest !== undefined) seen.allItems = true;
      for (let index = 0; index < end; index++) seen.items.add(index);
    }
    return ok;
  };
}

function compileContains(schema: JsonSchema, context: CompileContext): ArrayCheck {
  const check = context.compile(schema['contains']);
  // `unevaluatedItems` of 2019-09 also applies to items that `contains` matched.
  const isEvaluated = context.dialect === '2020-12';
  const { minContains, maxContains } = schema;
  const least = typeof minContains === 'number' ? minContains : 1;
  const most = typeof maxContains === 'number' ? maxContains : Infinity;
  return (list, report, seen) => {
    let found = 0;
    for (const [index, item] of list.entries()) {
      if (!check(item, undefined, undefined)) continue;
      found++;
      if (seen !== undefined && isEvaluated) seen.items.add(index);
      else if (found >= least && most === Infinity) return true;
    }
    if (found >= least && found <= most) return true;
    if (report === undefined) return false;
    const [limit, word] = found < least ? [least, 'least'] : [most, 'most'];
    const matching = `that match${limit === 1 ? 'es' : ''} ${JSON.stringify(schema['contains']).slice(0, 120)}`;
    return report.add(`must contain at ${word} ${counted(limit, 'item')} ${matching}, got ${found}`);
  };
}

const checkUnique: ArrayCheck = (list, report) => {
  const twice = firstDuplicate(list);
  if (twice === undefined) return true;
  return (
    report !== undefined && report.add(`must not contain an item twice: items ${twice[0]} and ${twice[1]} are equal`)
  );
};
