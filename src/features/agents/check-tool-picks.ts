import { risksOf, sourceOf } from '../../tool/tool-metadata.ts';
import { isDiscoveryTool } from '../../tool/tool-marks.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { JOINT, joinedNames } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';
import type { PolicyRule, PolicySelector } from '../../guard/policy/policy-section.ts';
import { compileRules, describeRule, toList } from '../../guard/policy/rule-list.ts';

/** A fault in a part of a config file; the path is relative to that part. */
export interface PickFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Finds picks that match no tool: names, patterns and selectors, each with a suggestion. */
export function checkToolPicks(picks: readonly PolicyRule[], tools: readonly Tool[]): PickFault[] {
  const rules = compileRules(picks);
  const found = tools.filter((tool) => !isDiscoveryTool(tool));
  return picks.flatMap((pick, index): PickFault[] => {
    if (typeof pick === 'string' && !pick.includes('*')) {
      const names = tools.map(({ metadata }) => metadata.name);
      return names.includes(pick) ? [] : [{ path: [index], message: noTool(pick, names) }];
    }
    return found.some((tool) => rules.matches(index, tool)) ? [] : explainPick(pick, index, found);
  });
}

/** Reports that there is no such tool, and suggests a similar one. */
export function noTool(name: string, known: readonly string[]): string {
  return `there is no tool "${name}" on the board.${suggest(name, known)}`;
}

/** Suggests similar names, as the end of a message; empty if there are none. */
export function suggest(name: string, known: Iterable<string>): string {
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
function explainPick(pick: PolicyRule, index: number, tools: readonly Tool[]): PickFault[] {
  const whole = `no tool of the board matches ${describeRule(pick)}.`;
  if (typeof pick === 'string') {
    // Patterns that would match, one for each first word of a name.
    const starts = new Set(tools.map(startOf));
    return [{ path: [index], message: `${whole}${suggest(pick, starts)}` }];
  }
  const faults = Object.entries(FIELDS).flatMap(([key, read]): PickFault[] => {
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
