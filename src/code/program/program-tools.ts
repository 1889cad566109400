import { boundsOf } from '../../tool/calls/call-bounds.ts';
import { clientOf } from '../../tool/calls/call-owner.ts';
import { nearestNames, shortenName } from '../../tool/texts/suggest.ts';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { createNameTable, type NameRules, type NameTable } from '../../export/name-table.ts';
import { isProxyTool } from '../../pipeline/proxy-tool.ts';
import {
  type DiscoveryTarget,
  type DiscoveryView,
  narrowIndex,
  viewFor,
} from '../../discovery/meta-tools/discovery-view.ts';

/** The names that can follow `tools.` */
const IDENTIFIER: NameRules = { character: /[A-Za-z0-9_$]/, first: /[A-Za-z_$]/, maxLength: 128 };

/** The tools that a program can call: those of its caller. */
export interface ProgramTools {
  readonly view: DiscoveryView;
  /** Finds a tool by its name or by its identifier; waits for a tool that may still arrive. */
  find(name: string): Promise<Tool | ToolError>;
  /** Finds a tool without waiting; `undefined` if it is not there yet. */
  look(name: string): Tool | undefined;
  /** Settles when it is known whether a tool of this name will arrive; `undefined` if none can. */
  arrival(name: string): Promise<void> | undefined;
  /** Explains why a name cannot be called. */
  explain(name: string): ToolError;
  /** Returns the text after `tools` that reaches a tool: `.git_log`, or `["…"]` when another tool has that identifier. */
  identifierOf(tool: Tool): string;
}

/**
 * Opens the tools that a program may use for the caller of a context: only those that the caller could call itself, and for a
 * saved program only those that its entry names.
 */
export function openProgramTools(
  target: DiscoveryTarget,
  context: ToolContext,
  only?: readonly string[],
): ProgramTools {
  const view = openView(target, context, only);
  let table: NameTable | undefined;
  const isOffered = (tool: Tool): boolean => !isDiscoveryTool(tool) && !isProxyTool(tool);
  const names = (): NameTable =>
    (table ??= createNameTable(
      view.tools().flatMap((tool) => (isOffered(tool) ? [tool.metadata.name] : [])),
      IDENTIFIER,
    ));
  const look = (name: string): Tool | undefined => {
    const original = view.find(name) === undefined ? names().toOriginal(name) : undefined;
    const tool = view.find(original ?? name);
    return tool !== undefined && isOffered(tool) ? tool : undefined;
  };
  const explain = (name: string): ToolError => {
    const found = view.find(name);
    if (found !== undefined && !isOffered(found)) return refuseMeta(name);
    const absence = view.explainAbsence?.(name);
    if (absence?.type === 'known') return absence.error;
    const nearest = nearestNames(
      name,
      names()
        .entries()
        .map(([, identifier]) => identifier),
    );
    const hint = nearest.length > 0 ? `Did you mean: ${nearest.join(', ')}?` : 'Find tools with search("…").';
    const toolName = shortenName(name);
    return new ToolError({ code: 'not_found', message: `There is no tool "${toolName}". ${hint}`, toolName });
  };
  const arrival = (name: string): Promise<void> | undefined =>
    look(name) === undefined && view.find(name) === undefined
      ? // A server may add names.
        view.arrival(name)?.then(() => void (table = undefined))
      : undefined;
  const find = async (name: string): Promise<Tool | ToolError> => {
    const found = look(name);
    if (found !== undefined || view.find(name) !== undefined) return found ?? explain(name);
    await arrival(name);
    return look(name) ?? explain(name);
  };
  return {
    view,
    find,
    look,
    explain,
    arrival,
    identifierOf: ({ metadata }) => names().toProvider(metadata.name) ?? metadata.name,
  };
}

function openView(target: DiscoveryTarget, context: ToolContext, only: readonly string[] | undefined): DiscoveryView {
  const bounds = boundsOf(context);
  const whole = viewFor(target, bounds);
  // Bounds already include everything their caller may use.
  const mayUse = bounds === undefined ? clientOf(context).mayUse : undefined;
  if (mayUse === undefined && only === undefined) return whole;
  const isOwn = (tool: Tool): boolean => mayUse?.(tool) !== false && only?.includes(tool.metadata.name) !== false;
  return {
    index: narrowIndex(whole.index, isOwn),
    find: (name) => {
      const tool = whole.find(name);
      return tool !== undefined && isOwn(tool) ? tool : undefined;
    },
    tools: () => whole.tools().filter(isOwn),
    arrival: (name) => (only?.includes(name) === false ? undefined : whole.arrival(name)),
  };
}

/** `run_code` inside a program would bypass its limits. */
function refuseMeta(name: string): ToolError {
  const message = `${name} cannot be called from a program: call tools by their own names, tools.<name>(…), and find them with search("…").`;
  return new ToolError({ code: 'invalid_arguments', message, toolName: name });
}
