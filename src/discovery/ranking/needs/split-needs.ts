// None of these begins with a repetition, which would take quadratic time on a long run of spaces or commas.
const SENTENCE = /\n\s*(?:[-*•]\s)?|(?<=[.!?])\s|;|(?:^|\s)(?:\d{1,2}|[a-h])[.)]\s|^[-*•]\s/;
const STEP =
  /\b(?:and then|then|and also|also|additionally|furthermore|moreover|finally|after that|afterwards|next|lastly|as well as)\b/i;
const LIST = /,|\sand\s/i;
const EDGES = /^(?:and\s|or\s|[\s,])+|[\s,]+$/gi;

/** Something that a query asks for, with its sentence. */
export interface Need {
  readonly text: string;
  readonly sentence: string;
}

/**
 * Splits a query that asks for several things: at sentences, steps, `and then` and the like.
 *
 * A list with commas is split only if every part passes `isNeed`, because most commas do not separate needs.
 */
export function splitNeeds(query: string, isNeed: (part: string) => boolean): Need[] {
  const split = (text: string, pattern: RegExp): string[] =>
    text.split(pattern).filter((part) => /[\p{L}\p{N}]/u.test(part));
  const needs = split(query.replaceAll(/[^\S\n]+/g, ' '), SENTENCE).flatMap((sentence) =>
    split(sentence, STEP).flatMap((step) => {
      const parts = split(step, LIST);
      const texts = parts.length > 1 && parts.every(isNeed) ? parts : [step];
      return texts.map((text) => ({ text: text.replaceAll(EDGES, ''), sentence }));
    }),
  );
  return needs.length > 1 ? needs : [];
}
