import type { CommandPage } from './command-page.ts';
import type { WalkedPage } from './walk-commands.ts';

/** Pages without the second names of commands, and those names. */
export interface Distinct {
  readonly pages: readonly WalkedPage[];
  /** `docker container ls = docker ps`, for people. */
  readonly dropped: readonly string[];
}

/** Keeps one page of those that are one command by their aliases: that with the fewest words, as people write it. */
export function dropAliases(pages: readonly WalkedPage[]): Distinct {
  const byName = new Map(pages.map((walked) => [walked.page.command.join(' '), walked]));
  const kept = new Map<string, string>();
  for (const { page } of pages) {
    const own = page.command.join(' ');
    const names = [own, ...page.aliases.map((words) => words.join(' '))].filter((name) => byName.has(name));
    const best = names.toSorted((a, b) => a.split(' ').length - b.split(' ').length || a.length - b.length)[0] ?? own;
    const first = page.standsFor?.join(' ') ?? own;
    if (first !== own && byName.has(first)) kept.set(own, first);
    else if (best !== own && isSame(byName.get(best), own)) kept.set(own, best);
  }
  return {
    pages: pages
      .filter(({ page }) => !kept.has(page.command.join(' ')))
      .map((walked) => ({ ...walked, page: withNames(walked.page, kept) })),
    dropped: [...kept].map(([name, best]) => `${name} = ${best}`),
  };
}

/** A page with all names that stand for it, those of other pages too. */
function withNames(page: CommandPage, kept: ReadonlyMap<string, string>): CommandPage {
  const own = page.command.join(' ');
  const others = [...kept].filter(([, best]) => best === own).map(([name]) => name);
  const names = new Set([...page.aliases.map((words) => words.join(' ')), ...others]);
  return { ...page, aliases: [...names].map((name) => name.split(' ')) };
}

/** Whether the other page names this one, too. */
function isSame(other: WalkedPage | undefined, name: string): boolean {
  return other?.page.aliases.some((words) => words.join(' ') === name) === true;
}
