import type { Tool } from '../../tool/tool.ts';
import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import type { ToolList } from '../../load/features/tool-list.ts';
import { IN_CODE } from '../../guard/policy/lint-policy.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import type { ToolPaths } from '../../guard/policy/tool-paths.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Reads the paths among a tool's arguments from its entry, its server's config or its own code; `undefined` where none says. */
export function pathsOf(tool: Tool, list: Pick<ToolList, 'originOf' | 'kindHost'>): ToolPaths | undefined {
  const { kind, paths } = tool.metadata;
  const { entry, server } = list.originOf(tool);
  // A tool that code put in the place of an entry's has no kind.
  const own = entry?.kind.type === kind ? entry : undefined;
  if (own?.kind.pathArguments !== undefined) return askKind(own, list.kindHost);
  if (paths === undefined) return own?.paths && { names: own.paths, folders: () => [] };
  const names = [...new Set([...paths, ...(own?.paths ?? [])])];
  // Code runs in the board's own process, a server in the folder it was started in, or on another machine.
  const address = server?.settings.address;
  if (address === undefined) return { names, folders: () => [process.cwd()] };
  return { names, folders: () => (address.type === 'stdio' ? [address.cwd] : []) };
}

/** Says in which place the author of a tool writes which arguments are paths, for messages. */
export function pathsPlace(tool: Tool, list: Pick<ToolList, 'originOf'>): string {
  const { entry, server } = list.originOf(tool);
  if (server !== undefined) {
    return `under mcpServers, for the server ${describeValue(server.settings.name)} or for single tools`;
  }
  // If only the created tools know their names, code has created them.
  const isNamed = entry !== undefined && entry.kind.names(entry.metadata.name, entry.settings) !== undefined;
  return isNamed ? 'in the entry of the tool' : IN_CODE;
}

/** Without an answer no argument can be checked: what the kind throws refuses the call, or the board. */
function askKind(entry: ToolEntry, host: KindHost): ToolPaths | undefined {
  try {
    return entry.kind.pathArguments?.(entry, host);
  } catch (error) {
    const text = messageOf(error);
    throw new Error(`the paths of the tool "${entry.metadata.name}" cannot be found: ${text}`, { cause: error });
  }
}
