import { ToolContext } from '../tool/tool-context.ts';
import { ToolError } from '../tool/tool-error.ts';
import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { riskOf, type ToolRisk } from '../tool/tool-metadata.ts';
import type { DiscoveryTarget } from '../discovery/meta-tools/discovery-view.ts';
import { parseProgram } from './check/parse-program.ts';
import { surveyProgram } from './check/survey-program.ts';
import { openProgramTools } from './program/program-tools.ts';
import { shapeOf } from './types/learned-shapes.ts';

/** A program that ran successfully. */
export interface WorkedProgram {
  readonly code: string;
  /** The value of `input` in that run. */
  readonly input: unknown;
  /** The names of the tools it called. */
  readonly called: readonly string[];
}

/** The settings of an entry with `type: program`. */
export interface SavedProgramPlan {
  readonly risk: ToolRisk;
  readonly tools: readonly string[];
  readonly schema: JsonSchema;
}

const RISKS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

/**
 * Derives the settings that make a program a tool: the tools it calls, the highest risk among them, and a schema of its inputs.
 * Throws `invalid_arguments` for a program that cannot be a tool.
 */
export function planSavedProgram(board: DiscoveryTarget, { code, input, called }: WorkedProgram): SavedProgramPlan {
  const parsed = parseProgram(code);
  if (!parsed.ok) throw refuse(parsed.fault.message);
  const given = input ?? {};
  if (!isPlainObject(given))
    throw refuse(
      'The arguments of a tool have names: have the program read fields of input, and run it with an object.',
    );
  const { tools: uses, inputs } = surveyProgram(parsed.ast);
  const known = openProgramTools(board, ToolContext.from(undefined));
  const names = uses.map(({ name }) => known.look(name)?.metadata.name ?? name);
  const isThere = (name: string): boolean => board.registry.find(name) !== undefined;
  const tools = [...new Set([...names, ...called])].filter(isThere).toSorted();
  const risks = new Set(tools.flatMap((name) => board.registry.find(name) ?? []).map(riskOf));
  return { risk: RISKS.findLast((risk) => risks.has(risk)) ?? 'read', tools, schema: schemaOf(given, inputs) };
}

/** Inputs it was run with are required; inputs that its code only names are optional. */
function schemaOf(given: Readonly<Record<string, unknown>>, named: readonly string[]): JsonSchema {
  const required = Object.keys(given);
  const others = named.filter((name) => !Object.hasOwn(given, name));
  const properties = Object.fromEntries([
    ...required.map((name) => [name, shapeOf(given[name])] as const),
    ...others.map((name) => [name, {}] as const),
  ]);
  return { properties, ...(required.length === 0 ? {} : { required }) };
}

function refuse(reason: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message: `The program cannot be saved as a tool. ${reason}` });
}
