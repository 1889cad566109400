import { explainIssues } from '../tool/texts/explain-issues.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { Tool } from '../tool/tool.ts';
import type { DryRun } from './dry-step.ts';
import type { KindHost, ToolEntry } from './kind.ts';

/** Prepares a call up to the point where something would happen. */
export async function dryRun(
  known: { readonly tool: Tool; readonly entry: ToolEntry | undefined } | undefined,
  args: unknown,
  { name, host }: { readonly name: string; readonly host: KindHost },
): Promise<DryRun> {
  if (known === undefined) {
    throw new ToolError({ code: 'not_found', message: `There is no tool "${name}".`, toolName: name });
  }
  const validation = await known.tool.validate(args);
  if (!validation.ok) {
    throw new ToolError(explainIssues(known.tool, validation.issues, args));
  }
  // A validated input is an object.
  const input = validation.value as Record<string, unknown>;
  const { entry } = known;
  return { tool: name, steps: (await entry?.kind.dryRun?.({ entry, tool: name, input, host })) ?? [] };
}
