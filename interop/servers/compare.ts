import { saysWhatFailed } from '../look-inside.ts';

/** A comparison: the same, or the difference. */
export type Comparison = { readonly isSame: true } | { readonly isSame: false; readonly difference: string };

/** A value as text, with the addresses that the server itself uses, and without what varies from run to run. */
export function toPlain(value: unknown, server: string, varies?: RegExp): string {
  const text = JSON.stringify(value, sortKeys) ?? 'undefined';
  const own = text.replaceAll(new RegExp(`\\b${server}\\+(?=[\\w+.-]+:)`, 'g'), '');
  return varies === undefined ? own : own.replaceAll(varies, '…');
}

/** Says where two texts begin to differ. */
export function compare(own: string, through: string): Comparison {
  if (own === through) return { isSame: true };
  let at = 0;
  while (at < own.length && own[at] === through[at]) at++;
  const show = (text: string): string => text.slice(Math.max(0, at - 40), at + 80);
  return { isSame: false, difference: `the server says "${show(own)}", the board "${show(through)}"` };
}

/** Returns the value of a promise, or the message of its error. */
export async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    return { failed: saysWhatFailed(error) };
  }
}

/** Objects with the same keys are the same, in any order. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
