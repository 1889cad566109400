import type { PageOption, PagePositional } from '../command-page.ts';
import { joinForms, parseUsage, type Usage, type UsageContext } from './parse-usage.ts';
import { parseUsageTree } from './usage-tree.ts';

/** Parses all forms of a usage. Only what every form requires is required; forms that begin with a flag are alternatives. */
export function parseUsages(forms: readonly string[], context: UsageContext = {}): Usage {
  const usages = nameAlike(forms.map((form) => parseUsage(form, context)));
  const plain = usages.filter((_, index) => !needsFlag(forms[index] ?? ''));
  const [first = parseUsage('')] = plain.length > 0 ? plain : usages;
  const isSpecial = forms.length > 0 && plain.length === 0;
  if (usages.length < 2) return { ...first, isSpecial };
  const base =
    first.positionals.length > 0 ? first : (plain.find(({ positionals }) => positionals.length > 0) ?? first);
  const inAll = (test: (word: PagePositional) => boolean, name: string): boolean =>
    usages.every(({ positionals }) => positionals.some((word) => word.name === name && test(word)));
  const tail = plain.flatMap(({ positionals }) => positionals).find((word) => word.tail === '--');
  const hasList = base.positionals.some(({ isRepeated, tail: last }) => isRepeated && last === undefined);
  const isListed = (name: string): boolean =>
    usages.some(({ positionals }) => positionals.some((word) => word.name === name && word.isRepeated));
  const words = base.positionals.map((word) => ({
    ...word,
    isRequired: inAll(({ isRequired }) => isRequired, word.name),
    isRepeated: word.isRepeated || (!hasList && isListed(word.name)),
  }));
  const hasTail = tail === undefined || words.some((word) => word.tail !== undefined || word.name === tail.name);
  return {
    ...base,
    options: mergeOptions(usages),
    positionals: hasTail ? words : [...words, { ...tail, isRequired: false }],
    oneOf: [],
    hasSeparator: usages.some(({ hasSeparator }) => hasSeparator),
    isSpecial,
  };
}

/** `CONTAINER:SRC DEST` and `SRC CONTAINER:DEST`: two forms of the same positionals get the same names. */
function nameAlike(usages: readonly Usage[]): readonly Usage[] {
  const bare = ({ name }: PagePositional): string => name.replace(/^\w+:(?=\w)/, '');
  const [first, ...others] = usages.map(({ positionals }) => positionals);
  const isAlike = (words: readonly PagePositional[]): boolean =>
    words.length === first?.length && words.every((word, at) => bare(word) === bare(first[at] ?? word));
  const hasPrefix = usages.some(({ positionals }) => positionals.some((word) => bare(word) !== word.name));
  if (first === undefined || others.length === 0 || !hasPrefix || !others.every(isAlike)) return usages;
  return usages.map((usage) => ({
    ...usage,
    positionals: usage.positionals.map((word, at) => ({
      ...word,
      name: bare(word),
      form: joinForms(usages.map(({ positionals }) => positionals[at])),
    })),
  }));
}

/** Returns the options of all forms; one that only some forms require is optional. */
function mergeOptions(usages: readonly Usage[]): PageOption[] {
  const found: PageOption[] = [];
  for (const option of usages.flatMap(({ options }) => options)) {
    const known = found.findIndex(({ flags }) => flags.some((flag) => option.flags.includes(flag)));
    if (known === -1) found.push({ ...option, isRequired: false });
  }
  return found;
}

/** `--args <filter>`, `(-d | -D) <branch>`: a form that applies only with a flag. */
function needsFlag(form: string): boolean {
  return parseUsageTree(form, () => true).some(
    (node) =>
      node.type === 'option' ||
      (node.type === 'group' &&
        !node.isOptional &&
        node.alternatives.every((nodes) => nodes.length > 0 && nodes.every(({ type }) => type === 'option'))),
  );
}

/**
 * `[-o=config_string]`: the synopsis shows a value that the list of options omits. A letter without one there proves nothing:
 * apt-cache writes `[-agipns]`, and -p takes a file.
 */
export function withSynopsisValue(option: PageOption, other: PageOption): PageOption {
  if (other.value === undefined) return option;
  // `-d <refname>` outside of brackets may be a switch and a positional.
  if (other.isRequired && !other.value.isJoined) return { ...option, mayTakeValue: true };
  return { ...option, mayTakeValue: undefined, negated: undefined, value: other.value };
}
