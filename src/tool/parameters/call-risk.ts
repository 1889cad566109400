import { isWithinRisk, type Risky, type ToolRisk } from '../tool-metadata.ts';
import { RISK_LEVELS, riskOfValue, showRaising, type ArgumentRisk, greatestRisk, levelsOf } from './argument-risk.ts';
import { findValues } from './find-values.ts';
import { isPlainObject, type JsonSchema } from '../json.ts';
import type { Tool } from '../tool.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Returns the risk of one call: that of its tool, or a greater one of its arguments. */
export function riskOfCall({ metadata: { risk = 'write', argumentRisks } }: Risky, args: Arguments): ToolRisk {
  if (argumentRisks === undefined) return risk;
  let most = risk;
  for (const [name, other] of Object.entries(argumentRisks)) {
    for (const value of valuesOf(args, name)) {
      const given = riskOfValue(other, value) ?? risk;
      if (!isWithinRisk(given, most)) most = given;
    }
  }
  return most;
}

/** Returns the values of an argument in a call. Most names are direct keys. */
function valuesOf(args: Arguments, name: string): readonly unknown[] {
  if (name.includes('.') || name.includes('*')) return findValues(args, name).map(({ value }) => value);
  return Object.hasOwn(args, name) ? [args[name]] : [];
}

/** Lists the arguments that raise a call above this risk, the riskiest first: `type=secret*`. */
export function raisingArguments(
  { metadata: { risk = 'write', argumentRisks = {} } }: Risky,
  args: Arguments,
  above: ToolRisk = risk,
): readonly string[] {
  const levels = RISK_LEVELS.filter((level) => !isWithinRisk(level, above)).toReversed();
  const shown = levels.flatMap((level) =>
    Object.entries(argumentRisks).flatMap(([name, other]) =>
      valuesOf(args, name).flatMap((value) => showRaising(name, other, [level, value]) ?? []),
    ),
  );
  return [...new Set(shown)];
}

/** Lists the arguments that give a call this risk. Empty when its tool has it anyway. */
export function raisedTo(tool: Risky, args: Arguments, risk: ToolRisk): readonly string[] {
  const less = RISK_LEVELS[RISK_LEVELS.indexOf(risk) - 1];
  return less === undefined || isWithinRisk(risk, tool.metadata.risk ?? 'write')
    ? []
    : raisingArguments(tool, args, less);
}

/** Describes the risk of one call, with the arguments that raise it: `write`, `destructive with type=secret*`. */
export function showCallRisk(tool: Risky, args: Arguments): string {
  const risk = riskOfCall(tool, args);
  const raisedBy = raisedTo(tool, args, risk);
  return raisedBy.length === 0 ? risk : `${risk} with ${raisedBy.join(', ')}`;
}

const known = new WeakMap<Tool, ToolRisk>();

/** Returns the smallest risk that a call of the tool can have: its own, or more if a required argument always raises it. */
export function leastRiskOf(tool: Tool): ToolRisk {
  const { risk = 'write', argumentRisks } = tool.metadata;
  if (argumentRisks === undefined) return risk;
  let least = known.get(tool);
  if (least === undefined) known.set(tool, (least = greatestRisk([risk, ...neededRisks(tool, argumentRisks)])));
  return least;
}

function neededRisks(tool: Tool, risks: Readonly<Record<string, ArgumentRisk>>): ToolRisk[] {
  const { required, properties } = schemaOf(tool);
  if (!Array.isArray(required) || !isPlainObject(properties)) return [];
  return Object.entries(risks).flatMap(([name, risk]) => {
    const schema = required.includes(name) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isPlainObject(schema) ? (leastOfValues(risk, schema) ?? []) : [];
  });
}

function schemaOf(tool: Tool): JsonSchema {
  try {
    return tool.inputSchema;
  } catch {
    // An unreadable schema says nothing about required arguments.
    return {};
  }
}

/** Returns the smallest risk of the values that a schema allows; `undefined` when a value may have none. */
function leastOfValues(risk: ArgumentRisk, schema: Readonly<Record<string, unknown>>): ToolRisk | undefined {
  const { type, enum: values, items, minItems } = schema;
  if (Array.isArray(values)) return leastOf(values.map((value: unknown) => riskOfValue(risk, value)));
  if (type === 'array') return Number(minItems) > 0 && isPlainObject(items) ? leastOfValues(risk, items) : undefined;
  if (type !== 'string' && type !== 'integer' && type !== 'number') return undefined;
  if (typeof risk !== 'string' && !Object.hasOwn(risk, '*')) return undefined;
  return leastOf(levelsOf(risk));
}

function leastOf(risks: readonly (ToolRisk | undefined)[]): ToolRisk | undefined {
  return risks.includes(undefined) ? undefined : RISK_LEVELS.find((level) => risks.some((risk) => risk === level));
}
