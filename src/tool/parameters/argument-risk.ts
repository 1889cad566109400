import { isPlainObject } from '../json.ts';
import { compileGlob } from '../texts/compile-glob.ts';

/** What a call may do to the world: look, change, or destroy. */
export type ToolRisk = 'read' | 'write' | 'destructive';

/**
 * What a call may do that gives an argument: one risk for each value, or risks by value. In such a table `*` stands for anything. What is
 * written out goes before patterns; of several patterns that fit, the greatest risk counts; a value that none fits has no risk of its own.
 */
export type ArgumentRisk = ToolRisk | Readonly<Record<string, ToolRisk>>;

/** The risks, from the least to the greatest. */
export const RISK_LEVELS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

/** The greatest of some risks. */
export function greatestRisk(risks: readonly ToolRisk[]): ToolRisk {
  return RISK_LEVELS.findLast((level) => risks.includes(level)) ?? 'destructive';
}

/** The risks that an argument may give a call. */
export function levelsOf(risk: ArgumentRisk): readonly ToolRisk[] {
  return typeof risk === 'string' ? [risk] : Object.values(risk);
}

/** The risk that a value of an argument gives a call; `undefined` where it gives none. */
export function riskOfValue(risk: ArgumentRisk, value: unknown): ToolRisk | undefined {
  if (!isGiven(value)) return undefined;
  if (typeof risk === 'string') return risk;
  const found = textsOf(value).flatMap((text) => riskOfText(risk, text) ?? []);
  return found.length === 0 ? undefined : greatestRisk(found);
}

/** Which values of an argument have a risk: `type=secret*`; its name alone where all have it. */
export function showRiskyValues(name: string, risk: ArgumentRisk, level: ToolRisk): string | undefined {
  if (typeof risk === 'string') return risk === level ? name : undefined;
  const values = Object.keys(risk).filter((value) => risk[value] === level);
  return values.length === 0 ? undefined : `${name}=${values.join('|')}`;
}

/** Whether a value says something: a flag that is off and an empty list do not. */
function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false;
}

/** Only a value as it is written in the table has the risk that stands there; in other capitals it may be the worse one. */
function riskOfText(risks: Readonly<Record<string, ToolRisk>>, text: string): ToolRisk | undefined {
  if (Object.hasOwn(risks, text)) return risks[text];
  const small = text.toLowerCase();
  const found = Object.entries(risks).flatMap(([glob, risk]) => (compileGlob(glob.toLowerCase())(small) ? [risk] : []));
  return found.length === 0 ? undefined : greatestRisk(found);
}

/** Every text that a command may take out of a value: wholes, items, keys, `key=value`, and what stands between commas and blanks. */
function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (isPlainObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => [
      ...textsOf(key),
      ...textsOf(item),
      ...(Array.isArray(item) || isPlainObject(item) ? [] : [`${key}=${textOf(item)}`]),
    ]);
  }
  const whole = textOf(value);
  const parts = whole.split(/[\s,;]+/).filter((part) => part !== '' && part !== whole);
  return [whole, ...parts];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
