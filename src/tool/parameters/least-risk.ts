import { isPlainObject, type JsonSchema } from '../json.ts';
import type { ToolRisk } from '../tool-metadata.ts';
import type { Tool } from '../tool.ts';
import { type ArgumentRisk, greatestRisk, levelsOf, RISK_LEVELS, riskOfValue } from './argument-risk.ts';

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
