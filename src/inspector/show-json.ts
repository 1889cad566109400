import { revealHiddenJson } from '../tool/texts/reveal-hidden.ts';

const MAX_TEXT = 20_000;

/** Formats a value as JSON for people: without secrets, hidden characters escaped, long texts shortened. */
export function showJson(value: unknown, redact: (value: unknown) => unknown): string {
  if (value === undefined) return '';
  try {
    return foldText(revealHiddenJson(JSON.stringify(redact(value), undefined, 2)));
  } catch {
    // Code may return values that JSON cannot represent.
    return '(not JSON)';
  }
}

/** Shortens a long text to its two ends. */
export function foldText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const half = MAX_TEXT / 2;
  const left = (text.length - MAX_TEXT).toLocaleString('en');
  return `${text.slice(0, half)}\n… ${left} characters omitted …\n${text.slice(-half)}`;
}
