import { revealHidden } from '../core/reveal-hidden.ts';
import type { PinnedDefinition } from './tool-pin.ts';

const MAX_LINES = 20;
const MAX_TEXT = 300;

/** What differs between two definitions, a line for each place: `inputSchema.properties.path.type: "string" → "number"`. */
export function describeDifference(before: PinnedDefinition | undefined, after: PinnedDefinition): string[] {
  if (before === undefined) return [`description: ${show(after.description)}`, `risk: ${after.risk ?? 'not said'}`];
  const [old, now] = [flatten(before), flatten(after)];
  const places = [...new Set([...old.keys(), ...now.keys()])];
  const lines = places.flatMap((place) => {
    const [was, is] = [old.get(place), now.get(place)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    if (typeof was === 'string' && typeof is === 'string' && was.length + is.length > 80)
      return showTexts(place, was, is);
    return [`${place}: ${was === undefined ? '(nothing)' : show(was)} → ${is === undefined ? '(nothing)' : show(is)}`];
  });
  return lines.length > MAX_LINES
    ? [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more differences`]
    : lines;
}

/** Long texts: what stays the same at both ends is left out. */
function showTexts(place: string, was: string, is: string): string[] {
  let start = 0;
  while (start < Math.min(was.length, is.length) && was[start] === is[start]) start++;
  let end = 0;
  while (end < Math.min(was.length, is.length) - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const from = Math.max(0, start - 20);
  const cut = (text: string): string => {
    const middle = text.slice(from, Math.min(text.length, text.length - end + 20));
    return `${from > 0 ? '…' : ''}${middle}${end > 20 ? '…' : ''}`;
  };
  return [`${place}:`, `  - ${show(cut(was))}`, `  + ${show(cut(is))}`];
}

/** Every leaf of a definition by its place. */
function flatten(value: unknown, place = '', leaves = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    if (value !== undefined) leaves.set(place, value);
    return leaves;
  }
  for (const [key, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${key}]` : place === '' ? key : `.${key}`;
    flatten(item, place + step, leaves);
  }
  return leaves;
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return revealHidden(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
}
