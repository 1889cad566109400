import type { SecretLists } from '../../guard/secrets/secret-lists.ts';
import { dryRun } from '../../kinds/dry-run.ts';
import type { DryRun, KindHost } from '../../kinds/kind.ts';
import { redactError } from '../../pipeline/finish-result.ts';
import { toToolError } from '../../pipeline/to-tool-error.ts';
import type { FeatureGuards } from '../features/feature-guards.ts';
import type { ComposedList } from './compose-list.ts';
import type { ListParts } from './list-parts.ts';

interface DryRunParts extends Pick<FeatureGuards, 'foresee'> {
  readonly composed: ComposedList;
  /** The tools of entries, as their kinds made them. */
  readonly made: ListParts['tools'];
  readonly host: KindHost;
  readonly secretLists: SecretLists;
}

/** Describes a call of a tool without making it. */
export async function dryRunTool(
  { name, args }: { readonly name: string; readonly args: unknown },
  { composed, made, host, foresee, secretLists }: DryRunParts,
): Promise<DryRun> {
  const { redactor } = secretLists;
  // Tools of servers have no entry here: their server decides what they do.
  const entry = composed.entryOf(name);
  const tool = (entry && made.get(name)?.tool) ?? composed.tools.find(({ metadata }) => metadata.name === name);
  try {
    const run = await dryRun(tool && { tool, entry }, args, { name, host, foresee });
    // People read it; the secrets in it are not for them.
    return redactor.data(run);
  } catch (thrown) {
    throw redactError(toToolError(thrown, name), redactor);
  }
}
