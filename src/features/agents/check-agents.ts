import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { PolicyRule, PolicySelector } from '../../guard/policy/policy-section.ts';
import { compileRules, describeRule, toList } from '../../guard/policy/rule-list.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { SectionValue } from '../../load/features/built-in-section.ts';
import type { ListedBoard } from '../../load/features/open-feature.ts';
import type { Placed } from '../../load/features/section.ts';
import { checkPatterns } from '../../load/features/tool-patterns.ts';
import { checkJsonSchema } from '../../tool/schema/read-json-schema.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import { risksOf, sourceOf } from '../../tool/tool-metadata.ts';
import { joinedNames, JOINT } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';

type AgentEntry = SectionValue<'agents'>[string];
type Path = readonly (string | number)[];

/** Finds faults in the agents of all files together: missing tools, agents and prompts, and cycles. */
export function checkAgents(
  settings: Placed<SectionValue<'agents'>>,
  tools: readonly Tool[],
  board: ListedBoard,
): Diagnostic[] {
  const { mayCome, hasServers } = board;
  const agents = new Map(Object.entries(settings.value));
  const known = { tools: tools.map(({ metadata }) => metadata.name), agents: [...agents.keys()] };
  return [...agents].flatMap(([name, entry]) => {
    const toDiagnostic = ({ path, message }: Fault, severity: Diagnostic['severity'] = 'error'): Diagnostic =>
      settings.at([name, ...path], message, severity);
    return [
      // Tools of servers may be added later.
      ...missingTools(entry, tools).map((fault) =>
        toDiagnostic(fault, mayCome(pickAt(entry, fault.path)) ? 'note' : hasServers ? 'warning' : 'error'),
      ),
      ...otherFaults(name, agents, known).map((fault) => toDiagnostic(fault)),
      ...missingPrompt(entry, settings.folder([name])).map((fault) => toDiagnostic(fault)),
      ...checkPatterns(
        settings,
        [
          [[name, 'tools'], entry.tools],
          [[name, 'pinned'], entry.pinned],
        ],
        board,
      ),
    ];
  });
}

function missingTools(entry: AgentEntry, tools: readonly Tool[]): Fault[] {
  const names = new Set(tools.map(({ metadata }) => metadata.name));
  const rules = entry.tools === undefined ? undefined : compileRules(entry.tools);
  const own = new Set(
    tools.filter((tool) => rules?.find(tool) !== undefined || !rules).map(({ metadata }) => metadata.name),
  );
  const below = (key: 'tools' | 'pinned'): Fault[] =>
    checkToolPicks(entry[key] ?? [], tools).map(({ path, message }) => ({ path: [key, ...path], message }));
  const chosen = chosenTool(entry);
  const needed = [...(entry.pinned ?? []).map((name, index) => ({ name, path: ['pinned', index] })), ...chosen];
  return [
    ...below('tools'),
    ...below('pinned'),
    ...chosen
      .filter(({ name }) => !names.has(name))
      .map(({ name, path }) => ({ path, message: noTool(name, [...names]) })),
    ...needed
      .filter(({ name }) => names.has(name) && !own.has(name))
      .map(({ name, path }) => ({
        path,
        message: `this agent does not have the tool "${name}". Add it to its tools.`,
      })),
  ];
}

/** Returns the tool, pattern or selector that a remark about an agent's tools refers to. */
function pickAt({ tools, pinned, tool_choice: choice }: AgentEntry, [key, index]: Path): unknown {
  if (key === 'tool_choice') return typeof choice === 'object' ? choice.tool : undefined;
  return (key === 'tools' ? tools : pinned)?.[Number(index)];
}

function missingPrompt({ system_file: file }: AgentEntry, folder: string): Fault[] {
  if (file === undefined) return [];
  const path = resolve(folder, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return [];
  const names = existsSync(dirname(path)) ? readdirSync(dirname(path)) : [];
  const near = suggest(
    file,
    names.map((name) => join(dirname(file), name)),
  );
  return [{ path: ['system_file'], message: `there is no file "${file}" in the folder of this one.${near}` }];
}

/** Checks the tool that the first step must call, which may also be a subagent. */
function chosenTool({
  tool_choice: choice,
  agents = [],
}: AgentEntry): { readonly name: string; readonly path: Path }[] {
  if (typeof choice !== 'object' || agents.includes(choice.tool)) return [];
  return [{ name: choice.tool, path: ['tool_choice', 'tool'] }];
}

/** Returns true when an agent has a tool: by name, or because it has all tools. */
function hasTool({ tools }: AgentEntry, name: string, known: readonly string[]): boolean {
  return known.includes(name) && (tools === undefined || tools.includes(name));
}

function otherFaults(
  name: string,
  agents: ReadonlyMap<string, AgentEntry>,
  known: { readonly tools: readonly string[]; readonly agents: readonly string[] },
): Fault[] {
  const entry = agents.get(name) ?? {};
  const faults: Fault[] = [];
  for (const [index, other] of (entry.agents ?? []).entries()) {
    const path = ['agents', index];
    if (!agents.has(other))
      faults.push({ path, message: `there is no agent "${other}".${suggest(other, known.agents)}` });
    else if (hasTool(entry, other, known.tools)) {
      faults.push({
        path,
        message: 'is also the name of a tool this agent has. Rename one of them, or leave the tool out.',
      });
    } else {
      const circle = findCircle(name, other, agents);
      if (circle !== undefined)
        faults.push({ path, message: `agents form a circle: ${circle.join(' → ')}. Remove one of them.` });
    }
  }
  if (entry.system !== undefined && entry.system_file !== undefined) {
    faults.push({ path: ['system_file'], message: 'cannot be combined with system. Use one of them.' });
  }
  if (entry.provider === 'openai-compatible' && entry.base_url === undefined) {
    faults.push({ path: ['provider'], message: 'openai-compatible needs base_url, such as http://localhost:8000/v1.' });
  }
  if (entry.provider !== undefined && entry.model === undefined) {
    faults.push({ path: ['provider'], message: 'needs a model beside it.' });
  }
  for (const { path, message } of entry.output === undefined ? [] : checkJsonSchema(entry.output)) {
    faults.push({ path: ['output', ...path], message });
  }
  if (entry.model !== undefined && entry.provider === undefined) {
    faults.push({ path: ['model'], message: 'needs a provider beside it, such as openai or anthropic.' });
  }
  return faults;
}

/** Finds a path from an agent through its subagents back to itself. */
function findCircle(start: string, via: string, agents: ReadonlyMap<string, AgentEntry>): string[] | undefined {
  const seen = new Set<string>();
  const visit = (name: string, trail: readonly string[]): string[] | undefined => {
    if (name === start) return [...trail, name];
    if (seen.has(name)) return undefined;
    seen.add(name);
    for (const next of agents.get(name)?.agents ?? []) {
      const found = visit(next, [...trail, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return visit(via, [start]);
}

/** A fault in a part of a config file; the path is relative to that part. */
interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Finds picks that match no tool: names, patterns and selectors, each with a suggestion. */
function checkToolPicks(picks: readonly PolicyRule[], tools: readonly Tool[]): Fault[] {
  const rules = compileRules(picks);
  const found = tools.filter((tool) => !isDiscoveryTool(tool));
  return picks.flatMap((pick, index): Fault[] => {
    if (typeof pick === 'string' && !pick.includes('*')) {
      const names = tools.map(({ metadata }) => metadata.name);
      return names.includes(pick) ? [] : [{ path: [index], message: noTool(pick, names) }];
    }
    return found.some((tool) => rules.matches(index, tool)) ? [] : explainPick(pick, index, found);
  });
}

/** Reports that there is no such tool, and suggests a similar one. */
function noTool(name: string, known: readonly string[]): string {
  return `there is no tool "${name}" on the board.${suggest(name, known)}`;
}

/** Suggests similar names, as the end of a message; empty if there are none. */
function suggest(name: string, known: Iterable<string>): string {
  const nearest = nearestNames(name, known);
  return nearest.length > 0 ? ` Did you mean: ${nearest.join(', ')}?` : '';
}

const FIELDS: Readonly<Record<keyof PolicySelector, (tool: Tool) => readonly (string | undefined)[]>> = {
  name: ({ metadata }) => [metadata.name],
  tag: ({ metadata }) => metadata.tags ?? [],
  category: ({ metadata }) => [metadata.category],
  risk: risksOf,
  source: ({ metadata }) => [sourceOf(metadata)],
};

/** Finds the part of a pick that matches no tool; the whole pick if each part matches some tool. */
function explainPick(pick: PolicyRule, index: number, tools: readonly Tool[]): Fault[] {
  const whole = `no tool of the board matches ${describeRule(pick)}.`;
  if (typeof pick === 'string') {
    // Patterns that would match, one for each first word of a name.
    const starts = new Set(tools.map(startOf));
    return [{ path: [index], message: `${whole}${suggest(pick, starts)}` }];
  }
  const faults = Object.entries(FIELDS).flatMap(([key, read]): Fault[] => {
    // The keys of FIELDS are those of a selector.
    const field = key as keyof PolicySelector;
    const wanted = toList(pick[field]);
    const rules = compileRules([{ [field]: wanted }]);
    if (wanted.length === 0 || tools.some((tool) => rules.matches(0, tool))) return [];
    const known = new Set(tools.flatMap(read).filter((value) => value !== undefined));
    const message = `no tool of the board has the ${field} ${wanted.map((value) => `"${value}"`).join(' or ')}.`;
    return [{ path: [index, field], message: `${message}${suggestValues(wanted, known)}` }];
  });
  return faults.length > 0 ? faults : [{ path: [index], message: whole }];
}

/** Returns a pattern for names like this one: all of its server, or those with the same first word. */
function startOf(tool: Tool): string {
  const [joined] = joinedNames(tool);
  return joined === undefined ? tool.metadata.name.replace(/(?<=[_.-]).*/, '*') : `${joined[0]}${JOINT}*`;
}

const MAX_LISTED = 8;

/** Returns the nearest of the known values, or all of them if they are few. */
function suggestValues(wanted: readonly string[], known: ReadonlySet<string>): string {
  const near = suggest(wanted[0]?.replaceAll('*', '') ?? '', known);
  if (near !== '' || known.size === 0) return near;
  const listed = [...known].toSorted().slice(0, MAX_LISTED).join(', ');
  return known.size > MAX_LISTED ? ` There are ${known.size}: ${listed}, …` : ` There are: ${listed}.`;
}
