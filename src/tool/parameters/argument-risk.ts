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
  if (typeof risk === 'string') return isGiven(value) ? risk : undefined;
  const found = textsOf(value).flatMap((text) => riskOfText(risk, text) ?? []);
  return found.length === 0 ? undefined : greatestRisk(found);
}

/** What of a value gives a call this risk: `delete`, or `type=secret*` by the patterns that fit. `undefined` where nothing does. */
export function showRaising(
  name: string,
  risk: ArgumentRisk,
  [level, value]: readonly [ToolRisk, unknown],
): string | undefined {
  if (riskOfValue(risk, value) !== level) return undefined;
  if (typeof risk === 'string') return name;
  const texts = textsOf(value).filter((text) => riskOfText(risk, text) === level);
  const fitting = compileTable(risk).filter(
    (row) => row.risk === level && texts.some((text) => text === row.glob || row.fits(text.toLowerCase())),
  );
  return `${name}=${fitting.map(({ glob }) => glob).join('|')}`;
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

/** A row of a table of risks. */
interface RiskRow {
  readonly glob: string;
  readonly fits: (text: string) => boolean;
  readonly risk: ToolRisk;
}

const tables = new WeakMap<Readonly<Record<string, ToolRisk>>, readonly RiskRow[]>();

/** The patterns of a table in small letters, compiled once: each call is judged by them. */
function compileTable(risks: Readonly<Record<string, ToolRisk>>): readonly RiskRow[] {
  let rows = tables.get(risks);
  if (rows === undefined) {
    rows = Object.entries(risks).map(([glob, risk]) => ({ glob, fits: compileGlob(glob.toLowerCase()), risk }));
    tables.set(risks, rows);
  }
  return rows;
}

/** Only a value as it is written in the table has the risk that stands there; in other capitals it may be the worse one. */
function riskOfText(risks: Readonly<Record<string, ToolRisk>>, text: string): ToolRisk | undefined {
  if (Object.hasOwn(risks, text)) return risks[text];
  const small = text.toLowerCase();
  const found = compileTable(risks).flatMap(({ fits, risk }) => (fits(small) ? [risk] : []));
  return found.length === 0 ? undefined : greatestRisk(found);
}

/** Every text that a command may take out of a value: wholes, items, keys, `key=value`, and what stands between commas and blanks. */
function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) || value instanceof Set || value instanceof Map) return [...value].flatMap(textsOf);
  if (isPlainObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => [
      ...textsOf(key),
      ...textsOf(item),
      ...(Array.isArray(item) || isPlainObject(item) ? [] : [`${key}=${textOf(item)}`, `${key}:${textOf(item)}`]),
    ]);
  }
  const whole = textOf(value);
  const parts = whole.split(/[\s,;]+/).filter((part) => part !== '' && part !== whole);
  return [whole, ...parts];
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? '');
}
