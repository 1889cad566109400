import { revealHidden } from '../../../tool/texts/reveal-hidden.ts';
import { estimateTokens } from '../../tokens/estimate-tokens.ts';

/** Puts a text on one line and spells out hidden characters. */
export function flatten(text: string): string {
  return revealHidden(text.replaceAll(/\s+/g, ' ')).trim();
}

/** Returns the beginning of a text within a number of tokens: the first sentence if it fits, else whole words. */
export function shortenText(text: string, tokens: number): string {
  const flat = flatten(text.slice(0, Math.max(400, tokens * 12)));
  const [sentence = flat] = /^.*?(?:(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?=\s+\p{Lu}|\s*$)|[。！？])/u.exec(flat) ?? [];
  // A first "sentence" of a word or two is usually an abbreviation.
  const first = sentence.length < 12 ? flat : sentence;
  const candidate = first.replace(/[.。]$/, '');
  if (estimateTokens(candidate) <= tokens) return candidate;
  return cutAtWord(candidate, tokens);
}

function cutAtWord(text: string, tokens: number): string {
  let least = 0;
  let most = text.length;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (estimateTokens(`${text.slice(0, middle)}…`) <= tokens) least = middle;
    else most = middle - 1;
  }
  const cut = text.slice(0, least);
  const space = cut.lastIndexOf(' ');
  const whole = space > least / 2 ? cut.slice(0, space) : cut.replace(/[\uD800-\uDBFF]$/, '');
  return whole === '' ? '' : `${whole.replace(/[\s,;:.(–—-]+$/, '')}…`;
}
