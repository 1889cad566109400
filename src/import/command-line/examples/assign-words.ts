import type { PagePositional } from '../command-page.ts';

/** `key=value`, or `key-`, which takes a key away. */
const PAIR = /=|\w-$/;

/** The place of each word of a command line among the words that its page names. A pair is for the word that is called so. */
export function assignWords(places: readonly PagePositional[], words: readonly string[]): readonly number[] {
  let next = 0;
  return words.map((word) => {
    while (isForLater(places, next, word)) next++;
    const at = Math.min(next, places.length - 1);
    next++;
    return at;
  });
}

/** Whether a word belongs to a later place than this one: `a=b` of `[NAME] KEY=VALUE...`. */
export function isForLater(places: readonly PagePositional[], at: number, word: string): boolean {
  const isPair = (name = ''): boolean => name.includes('=');
  return (
    PAIR.test(word) &&
    at < places.length &&
    !isPair(places[at]?.name) &&
    places.slice(at + 1).some(({ name }) => isPair(name))
  );
}
