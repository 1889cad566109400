import type { PolicyRule, PolicySelector } from '../../guard/policy/policy-section.ts';
import { compileRules } from '../../guard/policy/rule-list.ts';
import { compileGlob } from '../../tool/texts/compile-glob.ts';
import { joinedNames } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ListedBoard } from './open-feature.ts';
import type { Placed } from './section.ts';

type Path = readonly (string | number)[];

/** A rule about tools, or about prompts and resources. */
type Pick = PolicyRule | { readonly prompt: unknown } | { readonly resource: unknown };

/** Lists that permit tools, with their paths below a section. */
export type PermittingLists = readonly (readonly [path: Path, picks: readonly Pick[] | undefined])[];

/** Reports patterns that match tools of servers without permitting them, and suggests what to write instead. */
export function checkPatterns(section: Placed<unknown>, lists: PermittingLists, { all }: ListedBoard): Diagnostic[] {
  const served = all.filter((tool) => joinedNames(tool).length > 0);
  if (served.length === 0) return [];
  return lists.flatMap(([path, picks = []]) =>
    picks
      .flatMap((pick, index) => patternsIn(pick, [...path, index]))
      .flatMap(([place, pattern]): Diagnostic[] => {
        const message = explainPattern(pattern, served);
        return message === undefined ? [] : [section.at(place, message, 'note')];
      }),
  );
}

function patternsIn(pick: Pick, path: Path): (readonly [Path, string])[] {
  if (typeof pick === 'string') return pick.includes('*') ? [[path, pick]] : [];
  const { name = [] }: PolicySelector = 'name' in pick ? pick : {};
  if (typeof name === 'string') return patternsIn(name, [...path, 'name']);
  return name.flatMap((one, index) => patternsIn(one, [...path, 'name', index]));
}

function explainPattern(pattern: string, tools: readonly Tool[]): string | undefined {
  const matches = compileGlob(pattern);
  const rules = compileRules([pattern]);
  const passed = tools.find((tool) => matches(tool.metadata.name) && !rules.matches(0, tool));
  const [server] = (passed && joinedNames(passed)[0]) ?? [];
  if (passed === undefined || server === undefined) return undefined;
  return `${JSON.stringify(pattern)} does not permit ${JSON.stringify(passed.metadata.name)}, which is of a server. Write "${server}__*" for the tools of that server.`;
}
