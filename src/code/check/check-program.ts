import type { ExpressionStatement, Node, Program } from 'acorn';
import { ToolError } from '../../tool/tool-error.ts';
import { explainIssues } from '../../tool/texts/explain-issues.ts';
import type { Tool } from '../../tool/tool.ts';
import { checkInput } from '../../pipeline/check-input.ts';
import type { ProgramTools } from '../program/program-tools.ts';
import { explainName, KNOWN_NAMES, NO_IMPORT } from './known-names.ts';
import { parseProgram, type ProgramFault } from './parse-program.ts';
import { readLiteral } from './read-literal.ts';
import { surveyProgram, type ToolUse } from './survey-program.ts';

/** A program that may run, as JavaScript; or the error that says all that is wrong with it. */
export type CheckedProgram =
  | { readonly ok: true; readonly code: string }
  | { readonly ok: false; readonly error: ToolError };

const MOST_FAULTS = 20;
const INPUT_LIMITS = { size: 4_194_304, depth: 100 };

/**
 * Looks for all that can be found before a program runs: syntax, names that are not there, tools that are not there, arguments that
 * do not fit. Every fault is told at once, each with its line.
 */
export async function checkProgram(code: string, tools: ProgramTools): Promise<CheckedProgram> {
  const parsed = parseProgram(code);
  if (!parsed.ok) return refuse(code, [parsed.fault, ...(await faultsOfNames(code, tools))]);
  const { tools: uses, free, modules } = surveyProgram(parsed.ast);
  const faults = [
    ...modules.map((node) => faultAt(node, NO_IMPORT)),
    ...free.filter(({ name }) => !KNOWN_NAMES.has(name)).map((node) => faultAt(node, explainName(node.name))),
    ...(await Promise.all(uses.map((use) => faultsOfUse(use, tools)))).flat(),
  ];
  if (faults.length > 0) return refuse(code, faults);
  return { ok: true, code: returnLast(parsed.ast, parsed.code) };
}

async function faultsOfUse({ name, node, call }: ToolUse, tools: ProgramTools): Promise<ProgramFault[]> {
  const tool = await tools.find(name);
  if (tool instanceof ToolError) return [faultAt(node, tool.message)];
  if (call === undefined) return [];
  const [argument, extra] = call.arguments;
  if (extra !== undefined)
    return [faultAt(extra, `tools.${name} takes one object with all arguments, tools.${name}({ … }).`)];
  const given = readLiteral(argument);
  const message = given === undefined ? undefined : explainMisfit(tool, given);
  return message === undefined ? [] : [faultAt(argument ?? call, message)];
}

/** What is wrong with the part of the arguments that is known; `undefined` where that may be right. */
function explainMisfit(tool: Tool, { value, holes }: NonNullable<ReturnType<typeof readLiteral>>): string | undefined {
  try {
    const checked = checkInput(tool, value, INPUT_LIMITS, true);
    if (checked instanceof Promise || checked.ok) {
      // What is not waited for must not end the process.
      if (checked instanceof Promise) checked.catch(() => {});
      return undefined;
    }
    const issues = checked.issues.filter(({ path }) => !holes.some((hole) => overlaps(path, hole)));
    return issues.length === 0 ? undefined : explainIssues(tool, issues, value).message;
  } catch {
    // A schema that cannot be compiled is told by the call itself.
    return undefined;
  }
}

/** Whether one of two paths leads to the other. */
function overlaps(path: readonly (string | number)[], hole: readonly (string | number)[]): boolean {
  return path.slice(0, hole.length).every((key, place) => String(key) === String(hole[place]));
}

/** In code that cannot be read, names of tools can still be told apart. */
async function faultsOfNames(code: string, tools: ProgramTools): Promise<ProgramFault[]> {
  const found = [...code.matchAll(/(?<![\w$.])tools\.([A-Za-z_$][\w$]*)/g)];
  const faults = await Promise.all(
    found.map(async ({ 1: name = '', index }) => {
      const tool = await tools.find(name);
      if (!(tool instanceof ToolError)) return [];
      const before = code.slice(0, index).split('\n');
      return [{ line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message: tool.message }];
    }),
  );
  return faults.flat();
}

function faultAt({ loc }: Node, message: string): ProgramFault {
  return { line: loc?.start.line ?? 1, column: (loc?.start.column ?? 0) + 1, message };
}

function refuse(code: string, found: readonly ProgramFault[]): CheckedProgram {
  const faults = found.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const lines = code.split('\n');
  const told = faults.slice(0, MOST_FAULTS).map(({ line, column, message }) => {
    const source = (lines[line - 1] ?? '').trim();
    return `${line}:${column} ${message}\n    ${source.length > 200 ? `${source.slice(0, 200)}…` : source}`;
  });
  const more = faults.length - told.length;
  const head = `The program was not run: ${faults.length === 1 ? 'it has a fault' : `it has ${faults.length} faults`}. Mend ${faults.length === 1 ? 'it' : 'all of them'} and send the whole program again.`;
  return {
    ok: false,
    error: new ToolError({
      code: 'invalid_arguments',
      field: 'code',
      message: [head, ...told, ...(more > 0 ? [`And ${more} more.`] : [])].join('\n'),
      issues: faults.map(({ line, column, message }) => ({ path: ['code', line, column], message })),
    }),
  };
}

/** A program that returns nothing gives the value of its last expression; one that is a function is called. */
function returnLast({ body }: Program, code: string): string {
  const last = body.at(-1);
  if (last?.type !== 'ExpressionStatement' || body.some(returns)) return code;
  const { expression } = last;
  const isFunction = expression.type === 'ArrowFunctionExpression' || expression.type === 'FunctionExpression';
  const value = body.length === 1 && isFunction ? `(${textOf(last, code)})()` : `(${textOf(last, code)})`;
  return `${code.slice(0, last.start)}return ${value};${code.slice(last.end)}`;
}

function textOf({ expression }: ExpressionStatement, code: string): string {
  return code.slice(expression.start, expression.end);
}

/** Whether a statement of the program returns from it. */
function returns(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some(returns);
  if (!('type' in node)) return false;
  if (node.type === 'ReturnStatement') return true;
  if (typeof node.type === 'string' && /Function|Class|Expression$/.test(node.type)) return false;
  return Object.values(node).some(returns);
}
