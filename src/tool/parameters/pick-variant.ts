import { isPlainObject } from '../json.ts';
import { nearestNames } from '../texts/suggest.ts';
import { fixedValues, type Parameter, type Variant } from './read-variants.ts';

/** The most likely variant of a call. */
export interface PickedVariant {
  readonly variant: Variant;
  /** The key that distinguishes the variants, if any, with its value in this variant and in the others. */
  readonly tag?: { readonly name: string; readonly value: unknown; readonly others: readonly unknown[] };
}

/** Picks the variant that matches arguments best; nothing when several match equally well. */
export function pickVariant(variants: readonly Variant[], args: unknown): PickedVariant | undefined {
  const [first, ...others] = variants;
  if (first === undefined || others.length === 0) return first && { variant: first };
  if (!isPlainObject(args)) return undefined;
  return pickByTag(variants, args) ?? pickByKeys(variants, args);
}

/** Finds a key with different values in every variant, such as `kind`. */
function findTag(variants: readonly Variant[]): string | undefined {
  return variants[0]?.parameters.find(({ name }) => {
    const values = variants.map((variant) => valuesOf(variant, name));
    const all = values.flatMap((list) => list ?? []);
    return values.every((list) => list !== undefined && list.length > 0) && new Set(all).size === all.length;
  })?.name;
}

function pickByTag(variants: readonly Variant[], args: Record<string, unknown>): PickedVariant | undefined {
  const name = findTag(variants);
  const given = name !== undefined && Object.hasOwn(args, name) ? args[name] : undefined;
  if (name === undefined || given === undefined) return undefined;
  const all = variants.flatMap((variant) => valuesOf(variant, name) ?? []);
  const [nearest] = typeof given === 'string' ? nearestNames(given, all.map(String), 1) : [];
  const value = all.find((one) => one === given) ?? all.find((one) => String(one) === nearest);
  const variant = variants.find((one) => valuesOf(one, name)?.includes(value));
  return variant && { variant, tag: { name, value, others: all.filter((one) => one !== value) } };
}

/** Scores variants: keys it has count for it; values it does not accept and keys it lacks count against it. */
function pickByKeys(variants: readonly Variant[], args: Record<string, unknown>): PickedVariant | undefined {
  const scored = variants
    .map((variant) => ({ variant, score: scoreOf(variant, args) }))
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = scored;
  const knows = best?.variant.parameters.some(({ name }) => Object.hasOwn(args, name)) === true;
  return best === undefined || !knows || best.score === second?.score ? undefined : { variant: best.variant };
}

function scoreOf({ parameters }: Variant, args: Record<string, unknown>): number {
  let score = 0;
  for (const { name, schema, isRequired } of parameters) {
    if (!Object.hasOwn(args, name)) {
      if (isRequired) score -= 1;
      continue;
    }
    const fixed = fixedValues(schema);
    score += fixed === undefined || fixed.includes(args[name]) ? 2 : -4;
  }
  return score;
}

function valuesOf({ parameters }: Variant, name: string): readonly unknown[] | undefined {
  const parameter: Parameter | undefined = parameters.find((one) => one.name === name);
  return parameter && fixedValues(parameter.schema);
}
