import { isPlainObject } from '../json.ts';
import { compileGlob } from '../texts/compile-glob.ts';

/** The effect of a call: read, write, or destroy. */
export type ToolRisk = 'read' | 'write' | 'destructive';

/**
 * The risk of calls that give an argument: one risk for every value, or risks by value, with `*` as a wildcard. Exact values take
 * precedence over patterns; of several matching patterns, the greatest risk counts. A value without a match has no risk of its own.
 */
export type ArgumentRisk = ToolRisk | Readonly<Record<string, ToolRisk>>;

/** All risks in increasing order. */
export const RISK_LEVELS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

export function greatestRisk(risks: readonly ToolRisk[]): ToolRisk {
  return RISK_LEVELS.findLast((level) => risks.includes(level)) ?? 'destructive';
}

export function levelsOf(risk: ArgumentRisk): readonly ToolRisk[] {
  return typeof risk === 'string' ? [risk] : Object.values(risk);
}

export function riskOfValue(risk: ArgumentRisk, value: unknown): ToolRisk | undefined {
  if (typeof risk === 'string') return isGiven(value) ? risk : undefined;
  const found = textsOf(value).flatMap((text) => riskOfText(risk, text) ?? []);
  return found.length === 0 ? undefined : greatestRisk(found);
}

/** Names the value that gives a call this risk: `delete`, or `type=secret*` for patterns. Returns `undefined` if none does. */
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

/** Lists the values of an argument with a risk: `type=secret*`, or only its name if all have it. */
export function showRiskyValues(name: string, risk: ArgumentRisk, level: ToolRisk): string | undefined {
  if (typeof risk === 'string') return risk === level ? name : undefined;
  const values = Object.keys(risk).filter((value) => risk[value] === level);
  return values.length === 0 ? undefined : `${name}=${values.join('|')}`;
}

/** Returns false for empty values, such as a flag that is off or an empty list. */
function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false;
}

interface RiskRow {
  readonly glob: string;
  readonly fits: (text: string) => boolean;
  readonly risk: ToolRisk;
}

const tables = new WeakMap<Readonly<Record<string, ToolRisk>>, readonly RiskRow[]>();

/** Compiles the patterns of a table in lower case once, because every call uses them. */
function compileTable(risks: Readonly<Record<string, ToolRisk>>): readonly RiskRow[] {
  let rows = tables.get(risks);
  if (rows === undefined) {
    rows = Object.entries(risks).map(([glob, risk]) => ({ glob, fits: compileGlob(glob.toLowerCase()), risk }));
    tables.set(risks, rows);
  }
  return rows;
}

/** Returns the risk of a text. Only an exact match has the risk in the table; in other capitals, the text may mean something riskier. */
function riskOfText(risks: Readonly<Record<string, ToolRisk>>, text: string): ToolRisk | undefined {
  if (Object.hasOwn(risks, text)) return risks[text];
  const small = text.toLowerCase();
  const found = compileTable(risks).flatMap(({ fits, risk }) => (fits(small) ? [risk] : []));
  return found.length === 0 ? undefined : greatestRisk(found);
}

/**
 * Lists every text that a command may extract from a value: whole values, items, keys, `key=value`, and parts between commas and blanks.
 */
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
