import { isWithinRisk, type Risky, type ToolRisk } from '../tool-metadata.ts';
import { RISK_LEVELS, riskOfValue, showRaising } from './argument-risk.ts';
import { findValues } from './find-values.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** What one call may do: the risk of its tool, or the greatest of the arguments it gives where one has a greater. */
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

/** The values of an argument in a call. Most names lead to one, and are looked up. */
function valuesOf(args: Arguments, name: string): readonly unknown[] {
  if (name.includes('.') || name.includes('*')) return findValues(args, name).map(({ value }) => value);
  return Object.hasOwn(args, name) ? [args[name]] : [];
}

/** Which arguments give a call more than this risk, the worst first: `type=secret*`. Empty where none does. */
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

/** Which arguments give a call this risk; empty where its tool has it. */
export function raisedTo(tool: Risky, args: Arguments, risk: ToolRisk): readonly string[] {
  const less = RISK_LEVELS[RISK_LEVELS.indexOf(risk) - 1];
  return less === undefined || isWithinRisk(risk, tool.metadata.risk ?? 'write')
    ? []
    : raisingArguments(tool, args, less);
}

/** What one call may do, and by which arguments where these do more than the tool: `write`, `destructive with type=secret*`. */
export function showCallRisk(tool: Risky, args: Arguments): string {
  const risk = riskOfCall(tool, args);
  const raisedBy = raisedTo(tool, args, risk);
  return raisedBy.length === 0 ? risk : `${risk} with ${raisedBy.join(', ')}`;
}
