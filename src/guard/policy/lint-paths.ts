import { describeValue } from '../../tool/texts/describe-value.ts';
import type { Tool } from '../../tool/tool.ts';
import { findArgumentFault } from './find-argument-fault.ts';
import type { PolicyFault } from './lint-policy.ts';
import type { ToolPaths } from './tool-paths.ts';

/** The most names in one message. */
const MAX_NAMED = 8;

/** The place in which tools made by code name their path arguments. */
export const IN_CODE = 'in the entry of its script, or in the metadata of a tool in code';

/** Finds tools that a policy with roots refuses because nothing says which of their arguments are paths, and names that are wrong. */
export function lintPaths(
  tools: readonly Tool[],
  pathsOf: (tool: Tool) => ToolPaths | undefined,
  placeOf: (tool: Tool) => string = () => IN_CODE,
): PolicyFault[] {
  const groups = Map.groupBy(tools, ({ metadata }) => JSON.stringify([metadata.kind, metadata.source]));
  return [...groups.values()].flatMap((group) => {
    const silent = group.filter((tool) => pathsOf(tool) === undefined);
    return [
      ...(silent.length === 0 ? [] : [warn(explainSilent(silent, placeOf))]),
      ...strayNames(group, pathsOf).map((message) => warn(message)),
    ];
  });
}

function explainSilent(tools: readonly Tool[], placeOf: (tool: Tool) => string): string {
  const names = tools.map(({ metadata }) => describeValue(metadata.name));
  const listed = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), `${names.length - MAX_NAMED} more`] : names;
  const [first] = tools;
  const refused =
    names.length === 1 ? `refuses ${listed.join('')}` : `refuses ${names.length} tools: ${listed.join(', ')}`;
  const place = first === undefined ? IN_CODE : placeOf(first);
  return `${refused}, since nothing says which arguments are paths. Write paths: [NAME, …] ${place}, or paths: [] when none is.`;
}

/** Names under `paths` that no tool of the same source has: a spelling mistake leaves a path unchecked. */
function strayNames(tools: readonly Tool[], pathsOf: (tool: Tool) => ToolPaths | undefined): string[] {
  const users = new Map<string, Tool[]>();
  for (const tool of tools) {
    for (const name of pathsOf(tool)?.names ?? []) users.set(name, [...(users.get(name) ?? []), tool]);
  }
  return [...users].flatMap(([name, sharing]) => {
    const faults = sharing.map((tool) => findArgumentFault(tool, name));
    const [fault] = faults;
    return fault !== undefined && faults.every((other) => other !== undefined) ? [`paths: ${fault}`] : [];
  });
}

function warn(message: string): PolicyFault {
  return { severity: 'warning', path: ['roots'], message };
}
