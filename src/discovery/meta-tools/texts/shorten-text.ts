import { revealHidden } from '../../../tool/texts/reveal-hidden.ts';
import { estimateTokens } from '../../tokens/estimate-tokens.ts';

/** A text on one line, hidden characters spelt out. */
export function flatten(text: string): string {
  return revealHidden(text.replaceAll(/\s+/g, ' ')).trim();
}

/** The beginning of a text that costs at most so many tokens: whole sentences where they fit, whole words otherwise. */
export function shortenText(text: string, tokens: number): string {
  const flat = flatten(text.slice(0, Math.max(400, tokens * 12)));
  const [sentence = flat] = /^.*?(?:(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?=\s+\p{Lu}|\s*$)|[。！？])/u.exec(flat) ?? [];
  // A first "sentence" of a word or two is an abbreviation more often than not.
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
