import type { Tool } from '../../tool/tool.ts';
import type { KindHost } from '../../kinds/kind.ts';
import type { ToolEntry } from '../../kinds/kind.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { IN_CODE } from '../../guard/policy/lint-paths.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import type { ToolPaths } from '../../guard/policy/tool-paths.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Where the tools of a board come from. */
export interface ToolOrigins {
  readonly host: KindHost;
  readonly entryOf: (tool: Tool) => ToolEntry | undefined;
  readonly serverOf: (tool: Tool) => SharedServer | undefined;
}

/** What a tool's entry, its server's config or its own code says about the paths in its arguments; `undefined` for nothing. */
export function pathsOf(tool: Tool, { host, entryOf, serverOf }: ToolOrigins): ToolPaths | undefined {
  const { kind, paths } = tool.metadata;
  const entry = entryOf(tool);
  // A tool that code put in the place of an entry's has no kind.
  const own = entry?.kind.type === kind ? entry : undefined;
  if (own?.kind.pathArguments !== undefined) return askKind(own, host);
  if (paths === undefined) return own?.paths && { names: own.paths, folders: () => [] };
  const names = [...new Set([...paths, ...(own?.paths ?? [])])];
  // Code runs in the board's own process, a server in the folder it was started in, or on another machine.
  const address = serverOf(tool)?.settings.address;
  if (address === undefined) return { names, folders: () => [process.cwd()] };
  return { names, folders: () => (address.type === 'stdio' ? [address.cwd] : []) };
}

/** Where the author writes which arguments of a tool are paths, for messages. */
export function pathsPlace(tool: Tool, { entryOf, serverOf }: ToolOrigins): string {
  const server = serverOf(tool);
  if (server !== undefined) {
    return `under mcpServers, for the server ${describeValue(server.settings.name)} or for single tools`;
  }
  const entry = entryOf(tool);
  // Where only the made tools know their names, code has made them.
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
