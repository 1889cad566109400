import { explainIssues } from '../tool/texts/explain-issues.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { Tool } from '../tool/tool.ts';
import type { DryRun, KindHost, ToolEntry } from './kind.ts';

/** Options of a dry run. */
interface DryRunOptions {
  readonly name: string;
  readonly host: KindHost;
  /** Predicts the decision of the board's policies about the call. Default: no prediction. */
  readonly foresee?: ((tool: Tool, input: Readonly<Record<string, unknown>>) => DryRun['verdict']) | undefined;
}

/** Prepares a call up to the point where something would happen. */
export async function dryRun(
  known: { readonly tool: Tool; readonly entry: ToolEntry | undefined } | undefined,
  args: unknown,
  { name, host, foresee }: DryRunOptions,
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
  const verdict = foresee?.(known.tool, input);
  const steps = (await entry?.kind.dryRun?.({ entry, tool: name, input, host })) ?? [];
  return { tool: name, steps, ...(verdict === undefined ? {} : { verdict }) };
}
