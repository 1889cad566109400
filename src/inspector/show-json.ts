import { revealHiddenJson } from '../tool/texts/reveal-hidden.ts';

const MAX_TEXT = 20_000;

/** A value as JSON for people: secrets out, hidden characters spelt out, the middle of a long text left out. */
export function showJson(value: unknown, redact: (value: unknown) => unknown): string {
  if (value === undefined) return '';
  try {
    return foldText(revealHiddenJson(JSON.stringify(redact(value), undefined, 2)));
  } catch {
    // Code may give what JSON cannot carry.
    return '(not JSON)';
  }
}

/** A text that is not too long to send: both ends of a long one. */
export function foldText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const half = MAX_TEXT / 2;
  const left = (text.length - MAX_TEXT).toLocaleString('en');
  return `${text.slice(0, half)}\n… ${left} characters left out here …\n${text.slice(-half)}`;
}
