import type { ToolRisk } from '../core/tool-metadata.ts';
import type { Tool } from '../core/tool.ts';
import { riskOf } from '../core/risk-of.ts';
import { showArgument, showText, spellOut } from './show-argument.ts';

/** The question a person is asked: the tool's own words with `{argument}` filled in, or the call as it is. */
export function approvalMessage(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  template: string | undefined,
): string {
  if (template === undefined) return plainQuestion(tool.metadata.name, riskOf(tool), showArgument(args));
  // Once, so that a value with braces in it stays a value.
  return spellOut(template).replaceAll(/\{([^{}]+)\}/g, (whole: string, name: string) => {
    if (!Object.hasOwn(args, name)) return whole;
    const value = args[name];
    return typeof value === 'string' ? showText(value) : showWhole(value);
  });
}

/** The question about a call of a tool that has no words of its own for it. */
export function plainQuestion(name: string, risk: ToolRisk, shown: unknown): string {
  return `Allow ${name} (${risk}) with ${JSON.stringify(shown) ?? 'nothing'}?`;
}

function showWhole(value: unknown): string {
  return JSON.stringify(showArgument(value)) ?? 'nothing';
}
