const MOST_NEEDS = 8;
// None of these begins with a repetition: on a long run of spaces or commas that would take quadratic time.
const SENTENCE = /\n\s*(?:[-*•]\s)?|(?<=[.!?])\s|;|(?:^|\s)(?:\d{1,2}|[a-h])[.)]\s|^[-*•]\s/;
const STEP =
  /\b(?:and then|then|and also|also|additionally|furthermore|moreover|finally|after that|afterwards|next|lastly|as well as)\b/i;
const LIST = /,|\sand\s/i;
const EDGES = /^(?:and\s|or\s|[\s,])+|[\s,]+$/gi;

/**
 * Splits a query that asks for several things: at sentences, steps, `and then` and the like.
 *
 * A list with commas is split only if every part passes `isNeed`, for most commas do not stand between needs.
 */
export function splitNeeds(query: string, isNeed: (part: string) => boolean): string[] {
  const split = (text: string, pattern: RegExp): string[] =>
    text.split(pattern).filter((part) => /[\p{L}\p{N}]/u.test(part));
  const steps = split(query.replaceAll(/[^\S\n]+/g, ' '), SENTENCE).flatMap((sentence) => split(sentence, STEP));
  const needs = steps.flatMap((step) => {
    const parts = split(step, LIST);
    return parts.length > 1 && parts.every(isNeed) ? parts : [step];
  });
  return needs.length > 1 ? needs.slice(0, MOST_NEEDS).map((need) => need.replaceAll(EDGES, '')) : [];
}
