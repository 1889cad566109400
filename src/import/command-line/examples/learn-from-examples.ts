import type { CommandPage, PageOption, PagePositional } from '../command-page.ts';
import { assignWords, exampleTokens, type ReadLine, readLine } from './read-line.ts';

/** Corrects a page by its examples: omitted words are optional, repeated ones are repeatable. */
export function learnFromExamples(page: CommandPage): CommandPage {
  const lines = page.examples.flatMap(({ line }) => {
    const tokens = exampleTokens(page, line);
    const read = tokens && readLine(page, tokens);
    return read === undefined ? [] : [read];
  });
  return lines.reduce(learn, page);
}

function learn(page: CommandPage, line: ReadLine): CommandPage {
  const places = page.positionals.filter(({ tail }) => tail === undefined);
  const given = new Set(line.options.flatMap(({ option }) => option.flags));
  const placed = assignWords(places, line.words);
  const names = new Set(placed.map((at) => places[at]?.name ?? ''));
  const last = Math.max(...placed);
  const needed = places.filter(({ isRequired }) => isRequired).length;
  const isTooLong = line.words.length > places.length && !page.positionals.some(({ tail }) => tail === true);
  return {
    ...page,
    positionals: page.positionals.map((word) => {
      const place = places.indexOf(word);
      if (place === -1) return word.tail === '--' && line.rest === undefined ? { ...word, isRequired: false } : word;
      return {
        ...word,
        // A pair after it shows that a word was omitted.
        isRequired: word.isRequired && (placed.includes(place) || (line.words.length >= needed && place > last)),
        isRepeated:
          word.isRepeated || (isTooLong && place === places.length - 1 && !places.some((one) => one.isRepeated)),
      };
    }),
    options: page.options.map((option) => learnOption(option, line)),
    oneOf: page.oneOf.filter((group) => group.some((name) => given.has(name) || names.has(name))),
    exclusive: page.exclusive.filter((group) => group.filter((name) => given.has(name)).length < 2),
  };
}

function learnOption(option: PageOption, line: ReadLine): PageOption {
  const values = line.options.flatMap((given) =>
    given.option.flags[0] === option.flags[0] && typeof given.value === 'string' ? [given.value] : [],
  );
  const isGiven = line.options.some((given) => given.option.flags[0] === option.flags[0]);
  if (!isGiven) return option.isRequired ? { ...option, isRequired: false } : option;
  if (option.value === undefined || values.length === 0) return option;
  const { choices, type } = option.value;
  const isNumber = values.every((value) => /^-?\d+(?:\.\d+)?$/.test(value));
  return {
    ...option,
    isRepeatable: option.isRepeatable || values.length > 1,
    value: {
      ...option.value,
      ...(type === undefined || isNumber ? {} : { type: 'string' as const }),
      ...learnChoices(choices, values),
    },
  };
}

/** `jsonpath={.items}` with `jsonpath` as a choice: a choice may be followed by more. Any other value makes the list invalid. */
function learnChoices(
  choices: readonly string[],
  values: readonly string[],
): { choices?: readonly string[]; isChoiceStart?: boolean } {
  const odd = values.filter((text) => !choices.includes(text));
  if (choices.length === 0 || odd.length === 0) return {};
  const isStart = odd.every((text) => choices.some((choice) => text.startsWith(`${choice}=`)));
  return isStart ? { isChoiceStart: true } : { choices: [] };
}

const MAX_SHOWN = 3;
const MAX_LENGTH = 40;

/** Describes positionals without a description, by their form in the usage and their values in the examples. */
export function describeWords(page: CommandPage): CommandPage {
  const places = page.positionals.filter(({ tail }) => tail === undefined);
  const shown = places.map((): string[] => []);
  for (const { line } of page.examples) {
    const tokens = exampleTokens(page, line);
    const words = (tokens && readLine(page, tokens)?.words) ?? [];
    // `label -f pod.json status=bad` of `[TYPE] [NAME] KEY=VALUE`: the roles of these words are uncertain.
    if (words.length < places.length && places.slice(words.length).some(({ isRequired }) => isRequired)) continue;
    const placed = assignWords(places, words);
    for (const [at, word] of words.entries()) shown[placed[at] ?? 0]?.push(word);
  }
  return {
    ...page,
    positionals: page.positionals.map((word) => {
      if (word.description !== '' || word.tail !== undefined || word.choices.length > 0) return word;
      const at = places.indexOf(word);
      return { ...word, description: describeWord(word, { before: places[at - 1], shown: shown[at] ?? [] }) };
    }),
  };
}

function describeWord(
  { name, form, isRepeated }: PagePositional,
  { before, shown }: { readonly before: PagePositional | undefined; readonly shown: readonly string[] },
): string {
  const isOfType = /^names?$/i.test(name) && /^(?:type|kind|resource)$/i.test(before?.name ?? '');
  const values = [...new Set(shown)]
    // `TYPE` is not a value, and after `rc/one` another `rc/two` is not a name.
    .filter(
      (value) => value.length <= MAX_LENGTH && !/^[A-Z][A-Z_]+$/.test(value) && !(isOfType && value.includes('/')),
    )
    .slice(0, MAX_SHOWN);
  const said = form ?? (isOfType ? (isRepeated ? 'Names of those of that type' : 'The name of one of that type') : '');
  if (values.length === 0) return said;
  const list = values.join(values.some((value) => value.includes(',')) ? '; ' : ', ');
  return said === '' ? `Such as ${list}` : `${said}, such as ${list}`;
}

/** Names of a type, or of a type and a name: `RESOURCE`, `RESOURCE/NAME`, `resource.group/resource.name`. */
const RESOURCE = /^resource(?:\.group)?(?:\/(?:resource\.)?name)?$/i;
const TYPE = /^(?:type|kind)$/i;
/** `deployment/web` */
const TYPE_AND_NAME = /^[a-z][\w.]*\/[\w.-]+$/;

/**
 * Renames the words for a resource to `TYPE` and `NAME` if a command accepts both, like most of its kind: a `RESOURCE` with the
 * example `deployment/web` may also be `deployment web`.
 */
export function nameResources(page: CommandPage): CommandPage {
  const [first, second, ...others] = page.positionals;
  if (first === undefined || first.tail !== undefined) return page;
  if (TYPE.test(first.name) && second !== undefined && /^name_\w+$/i.test(second.name)) {
    const name = { ...second, name: 'NAME', form: `NAME or ${second.name}` };
    return { ...page, positionals: [first, name, ...others] };
  }
  if (!RESOURCE.test(first.name) || page.positionals.some(({ name }) => TYPE.test(name) || /^names?$/i.test(name))) {
    return page;
  }
  const shown = page.examples.flatMap(({ line }) => {
    const tokens = exampleTokens(page, line);
    return (tokens && readLine(page, tokens)?.words.slice(0, 1)) ?? [];
  });
  // `TYPE/NAME` may be the only accepted form.
  const isAlsoBare =
    !first.name.includes('/') || first.description.includes(' or ') || shown.some((word) => !word.includes('/'));
  if (!isAlsoBare || !shown.some((word) => TYPE_AND_NAME.test(word))) return page;
  const type = { ...first, name: 'TYPE', form: 'TYPE or TYPE/NAME', description: '', isRepeated: false };
  const name = { ...first, name: 'NAME', form: undefined, description: '', isRequired: false };
  return {
    ...page,
    positionals: [type, name, ...page.positionals.slice(1)],
    oneOf: page.oneOf.map((group) => group.map((one) => (one === first.name ? type.name : one))),
  };
}

/** Makes a positional optional if an option can replace it, such as a file that lists the resources. */
export function allowReplacements(page: CommandPage): CommandPage {
  const [first, ...others] = page.positionals;
  if (first?.isRequired !== true || first.tail !== undefined) return page;
  const standIns = page.options.filter(
    (option) => isResourceFile(option) || excludesFile(option, page) || isSelectorFor(first, others, option),
  );
  if (standIns.length === 0) return nameSelectors(page);
  return {
    ...page,
    positionals: [{ ...first, isRequired: false }, ...others],
    oneOf: [...page.oneOf, [first.name, ...standIns.map(({ flags: [flag = ''] }) => flag)]],
  };
}

/** `taint NODE [NAME] KEY=VALUE...`: without the name, a query or `--all` selects the objects. */
function nameSelectors(page: CommandPage): CommandPage {
  const [, second, ...others] = page.positionals;
  const selectors = page.options.filter(isSelector);
  const isGap = second?.isRequired === false && others.some(({ isRequired }) => isRequired);
  if (!isGap || selectors.length === 0) return page;
  return { ...page, oneOf: [...page.oneOf, [second.name, ...selectors.map(({ flags: [flag = ''] }) => flag)]] };
}

/** `-f, --filename: Filename, directory, or URL to files identifying the resource to get from a server` */
function isResourceFile({ flags, value, description }: PageOption): boolean {
  return flags.includes('--filename') && value !== undefined && /(?<!\breplace )\bthe resource\b/i.test(description);
}

/** `-k: … This flag can't be used together with -f or -R.` */
function excludesFile({ value, description }: PageOption, { options }: CommandPage): boolean {
  const [, flags = ''] = /\bcan(?:'t|not) be used together with ([^.]*)/.exec(description) ?? [];
  const named = flags.split(/[\s,]+/);
  return (
    value !== undefined &&
    options.some((file) => isResourceFile(file) && file.flags.some((flag) => named.includes(flag)))
  );
}

/** True when a label query replaces the only positional of a command: `drain NODE` and `drain --selector`. */
function isSelectorFor(first: PagePositional, others: readonly PagePositional[], option: PageOption): boolean {
  const isOnly = others.every(({ isRequired }) => !isRequired);
  const isType = TYPE.test(first.name) || RESOURCE.test(first.name);
  return isOnly && !isType && option.flags.includes('--selector') && isSelector(option);
}

/** `-l, --selector: Selector (label query) to filter on`, `--all: Select all nodes in the cluster` */
function isSelector({ flags, description }: PageOption): boolean {
  if (flags.includes('--all')) return /\bselect all\b/i.test(description);
  return flags.includes('--selector') && /\bto filter on\b/i.test(description);
}
