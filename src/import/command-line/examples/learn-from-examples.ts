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
