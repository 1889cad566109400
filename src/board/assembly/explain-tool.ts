import { isBroken } from '../../kinds/broken.ts';
import type { DryRun, KindHost, ToolEntry } from '../../kinds/kind.ts';
import { explainOff } from '../../load/turn-off.ts';
import { redactError } from '../../pipeline/finish-result.ts';
import { toToolError } from '../../pipeline/to-tool-error.ts';
import { explainIssues } from '../../tool/texts/explain-issues.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { FeatureGuards } from '../features/feature-calls.ts';
import type { ComposedList } from './compose-list.ts';
import type { ListParts } from './list-draft.ts';

interface DryRunParts extends Pick<FeatureGuards, 'foresee'> {
  readonly parts: ListParts;
  readonly composed: ComposedList;
}

/** Describes a call of a tool without making it. */
export async function dryRunTool(
  { name, args }: { readonly name: string; readonly args: unknown },
  { parts: { made, host, setup }, composed, foresee }: DryRunParts,
): Promise<DryRun> {
  const { redactor } = setup.resources.secretLists;
  // Tools of servers have no entry here: the server decides what they do.
  const entry = composed.entryOf(name);
  const tool = (entry && made.tools.get(name)?.tool) ?? composed.tools.find(({ metadata }) => metadata.name === name);
  try {
    // People read it, and must not see secrets.
    return redactor.data(await dryRun(tool && { tool, entry }, args, { name, host, foresee }));
  } catch (thrown) {
    throw redactError(toToolError(thrown, name), redactor);
  }
}

/** Explains why a tool of this name is disabled, or belongs to a disabled server; `undefined` for any other name. */
export function explainAbsence(
  name: string,
  { config, made }: ListParts,
  { unavailable }: ComposedList,
): string | undefined {
  const entry = made.tools.get(name)?.entry;
  if (entry !== undefined && isBroken(entry)) return unavailable.includes(name) ? entry.settings.reason : undefined;
  const server = config.files
    .flatMap(({ off }) => off)
    .find(
      ({ type, name: own, prefix = '' }) =>
        type === 'server' && [prefix, `${own}.`].some((start) => start !== '' && name.startsWith(start)),
    );
  return server === undefined ? undefined : explainOff(`the server "${server.name}"`, server.variables);
}

/** Options of a dry run. */
interface DryRunOptions {
  readonly name: string;
  readonly host: KindHost;
  /** Predicts the decision of the board's policies about the call. Default: no prediction. */
  readonly foresee?: ((tool: Tool, input: Readonly<Record<string, unknown>>) => DryRun['verdict']) | undefined;
}

/** Prepares a call up to the point where something would happen. */
async function dryRun(
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
