import { isWithinRisk, type Risky, type ToolRisk } from '../tool-metadata.ts';
import { RISK_LEVELS, riskOfValue, showRaising } from './argument-risk.ts';
import { findValues } from './find-values.ts';

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
