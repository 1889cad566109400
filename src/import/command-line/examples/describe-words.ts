import type { CommandPage, PagePositional } from '../command-page.ts';
import { assignWords } from './assign-words.ts';
import { exampleTokens } from './example-tokens.ts';
import { readLine } from './read-line.ts';

const MAX_SHOWN = 3;
const MAX_LENGTH = 40;

/** Describes words of which a page says nothing, by how its usage writes them and by what its examples give. */
export function describeWords(page: CommandPage): CommandPage {
  const places = page.positionals.filter(({ tail }) => tail === undefined);
  const shown = places.map((): string[] => []);
  for (const { line } of page.examples) {
    const tokens = exampleTokens(page, line);
    const words = (tokens && readLine(page, tokens)?.words) ?? [];
    // `label -f pod.json status=bad` of `[TYPE] [NAME] KEY=VALUE`: which words these are is not certain.
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
    // `TYPE` is no value, and behind `rc/one` a further `rc/two` is no name.
    .filter(
      (value) => value.length <= MAX_LENGTH && !/^[A-Z][A-Z_]+$/.test(value) && !(isOfType && value.includes('/')),
    )
    .slice(0, MAX_SHOWN);
  const said = form ?? (isOfType ? (isRepeated ? 'Names of those of that type' : 'The name of one of that type') : '');
  if (values.length === 0) return said;
  const list = values.join(values.some((value) => value.includes(',')) ? '; ' : ', ');
  return said === '' ? `Such as ${list}` : `${said}, such as ${list}`;
}
