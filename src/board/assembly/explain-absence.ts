import { isBroken } from '../../kinds/broken.ts';
import type { ToolEntry } from '../../kinds/kind.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import { explainOff } from '../../load/turn-off.ts';

/** Explains why a tool of this name is off, or belongs to a server that is; `undefined` for any other name. */
export function explainAbsence(
  name: string,
  {
    config,
    tools,
    unavailable,
  }: {
    readonly config: LoadedConfig;
    readonly tools: ReadonlyMap<string, { readonly entry: ToolEntry }>;
    readonly unavailable: readonly string[];
  },
): string | undefined {
  const entry = tools.get(name)?.entry;
  if (entry !== undefined && isBroken(entry)) return unavailable.includes(name) ? entry.settings.reason : undefined;
  const server = config.files
    .flatMap(({ off }) => off)
    .find(
      ({ type, name: server, prefix = '' }) =>
        type === 'server' && [prefix, `${server}.`].some((start) => start !== '' && name.startsWith(start)),
    );
  return server === undefined ? undefined : explainOff(`the server "${server.name}"`, server.variables);
}
