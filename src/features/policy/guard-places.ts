import type { DryVerdict } from '../../guard/approval/guard.ts';
import { checkPlaces } from '../../guard/policy/board-places.ts';
import { cannotHoldPath, NO_PATHS, type ToolPaths } from '../../guard/policy/tool-paths.ts';
import type { ToolList } from '../../load/features/tool-list.ts';
import type { CallGuard } from '../../tool/calls/call-bounds.ts';
import { riskOfCall } from '../../tool/parameters/call-risk.ts';
import { schemaPaths } from '../../tool/parameters/find-values.ts';
import { explainIssues, formatPath } from '../../tool/texts/explain-issues.ts';
import { isDiscoveryTool, isHelperTool } from '../../tool/tool-marks.ts';
import { ToolError, type ToolIssue } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import { IN_CODE } from '../../guard/policy/lint-policy.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** Prevents calls of a board from accessing its data and the files that define it. */
export interface PlaceGuard {
  /** Finds the arguments of a call that refer to these places. */
  check(tool: Tool, args: Readonly<Record<string, unknown>>): ToolIssue[];
  /** The same check as a guard, for a board without a policy. */
  readonly guard: CallGuard;
  /** Returns true when a call with these validated arguments refers to these places. */
  refuses(tool: Tool, args: unknown): boolean;
  /** The same check for a dry run. */
  foresee(tool: Tool, args: Readonly<Record<string, unknown>>): DryVerdict | undefined;
}

/** Creates the guard of a board's places, for the tools of one list. `isOpen` allows writing the files that define the board. */
export function guardPlaces(list: ToolList, isOpen: boolean): PlaceGuard {
  const known = new WeakMap<Tool, { readonly paths: ToolPaths | undefined }>();
  const read = (tool: Tool): ToolPaths | undefined => {
    const found = known.get(tool) ?? { paths: readPaths(tool, list) };
    known.set(tool, found);
    return found.paths;
  };
  const check = (tool: Tool, args: Readonly<Record<string, unknown>>): ToolIssue[] => {
    const paths = read(tool);
    // Most tools take no paths.
    if (paths?.names.length === 0 && paths.made === undefined) return [];
    const writes = !isOpen && riskOfCall(tool, args) !== 'read';
    return checkPlaces({ args, paths, folders: foldersOf(tool, list), writes }, list.places);
  };
  return {
    check,
    // Validated arguments are an object.
    refuses: (tool, args) => check(tool, args as Readonly<Record<string, unknown>>).length > 0,
    guard: ({ tool, args }) => {
      const issues = check(tool, args);
      return issues.length === 0 ? undefined : new ToolError(explainIssues(tool, issues));
    },
    foresee: (tool, args) => {
      const issues = check(tool, args);
      if (issues.length === 0) return undefined;
      const message = issues.map(({ path, message: text }) => `${formatPath(path)} ${text}`).join('; ');
      return { type: 'refused', message };
    },
  };
}

/** Returns the known paths of a tool; `undefined` when any text may be a path. */
function readPaths(tool: Tool, list: ToolList): ToolPaths | undefined {
  if (isHelperTool(tool) || isDiscoveryTool(tool)) return NO_PATHS;
  const stated = pathsOf(tool, list);
  try {
    if (stated === undefined) return cannotHoldPath(tool.inputSchema) ? NO_PATHS : undefined;
    const names = [...new Set([...stated.names, ...schemaPaths(tool.inputSchema)])];
    return { ...stated, names };
  } catch {
    // A schema that cannot be converted says nothing about paths.
    return stated;
  }
}

/** Returns the base folders of relative paths of a tool; empty for a tool on another machine. */
function foldersOf(tool: Tool, list: ToolList): readonly string[] {
  const address = list.originOf(tool).server?.settings.address;
  if (address === undefined) return [list.kindHost.cwd];
  return address.type === 'stdio' ? [address.cwd] : [];
}

/** Returns the path arguments of a tool as stated by its entry, its server's config or its code; `undefined` if none states them. */
export function pathsOf(tool: Tool, list: Pick<ToolList, 'originOf' | 'kindHost'>): ToolPaths | undefined {
  const { kind, paths } = tool.metadata;
  const { entry, server } = list.originOf(tool);
  // A tool with which code replaced that of an entry has no kind.
  const own = entry?.kind.type === kind ? entry : undefined;
  if (own?.kind.pathArguments !== undefined) return askKind(own, list.kindHost);
  if (paths === undefined) return own?.paths && { names: own.paths, folders: () => [] };
  const names = [...new Set([...paths, ...(own?.paths ?? [])])];
  // Code runs in the board's own process; a server in the folder where it was started, or on another machine.
  const address = server?.settings.address;
  if (address === undefined) return { names, folders: () => [process.cwd()] };
  return { names, folders: () => (address.type === 'stdio' ? [address.cwd] : []) };
}

/** Returns the place where the author of a tool declares its path arguments, for messages. */
export function pathsPlace(tool: Tool, list: Pick<ToolList, 'originOf'>): string {
  const { entry, server } = list.originOf(tool);
  if (server !== undefined) {
    return `under mcpServers, for the server ${describeValue(server.settings.name)} or for single tools`;
  }
  // If only the created tools know their names, code has created them.
  const isNamed = entry !== undefined && entry.kind.names(entry.metadata.name, entry.settings) !== undefined;
  return isNamed ? 'in the entry of the tool' : IN_CODE;
}

/** Without an answer no argument can be checked: an error of the kind refuses the call, or the board. */
function askKind(entry: ToolEntry, host: KindHost): ToolPaths | undefined {
  try {
    return entry.kind.pathArguments?.(entry, host);
  } catch (error) {
    const text = messageOf(error);
    throw new Error(`the paths of the tool "${entry.metadata.name}" cannot be found: ${text}`, { cause: error });
  }
}
