import type { PagePositional } from '../command-page.ts';
import type { HelpSection } from './split-sections.ts';

/** Usage lines of a command, and the words of another command line that they end in. */
export interface UsageWithRest {
  readonly usages: readonly string[];
  readonly rest?: PagePositional;
}

/**
 * Finds the rest of a command line that argparse hands on as it is: its usage ends in a bare `...`, and the word that stands for it is
 * listed among the arguments alone. Lists of argparse are `[host ...]`.
 */
export function findArgparseRest(usages: readonly string[], sections: readonly HelpSection[]): UsageWithRest {
  const [usage = ''] = usages;
  const own = /^(.*?)\s*(?<!\S)\.\.\.$/s.exec(usage.trim())?.[1];
  const body = sections.find(({ title }) => /^positional arguments:?$/i.test(title))?.body;
  if (usages.length !== 1 || own === undefined || body === undefined) return { usages };
  const used = new Set(own.match(/[\w-]+/g) ?? []);
  const names = body.flatMap((line) => /^ {2}([A-Za-z][\w-]*)(?: {2,}|$)/.exec(line)?.[1] ?? []);
  const name = names.findLast((one) => !used.has(one));
  if (name === undefined || name !== names.at(-1)) return { usages };
  return {
    usages: [own],
    rest: { name, isRequired: false, isRepeated: true, tail: true, choices: [], description: '' },
  };
}
