import { revealHidden } from '../../tool/texts/reveal-hidden.ts';
import type { PinnedDefinition } from './tool-pin.ts';

/** The most characters of one tool's differences: more is too long to read. */
const MAX_SHOWN = 20_000;

/**
 * Describes the differences between two definitions, a line for each place: `inputSchema.properties.path.type: "string" → "number"`.
 *
 * The question is whole, as a person decides by it; beyond 20,000 characters it says clearly what is not shown.
 */
export function describeDifference(before: PinnedDefinition | undefined, after: PinnedDefinition): string[] {
  if (before === undefined) {
    const { description, risk = 'not said', annotations = {}, ...rest } = after;
    const hints = Object.keys(Object(annotations)).length === 0 ? {} : { annotations };
    const others = Object.entries({ ...rest, ...hints }).map(([key, value]) => `${key}: ${show(value)}`);
    return bound([`description: ${show(description)}`, `risk: ${revealHidden(risk)}`, ...others]);
  }
  return describeObjects(before, after);
}

/** Describes the differences between two objects, a line for each place. */
export function describeObjects(before: object, after: object): string[] {
  const [old, now] = [flatten(before), flatten(after)];
  const places = [...new Set([...old.keys(), ...now.keys()])];
  const lines = places.flatMap((place) => {
    const [was, is] = [old.get(place), now.get(place)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    if (typeof was === 'string' && typeof is === 'string' && was.length + is.length > 80)
      return showTexts(place, was, is);
    return [
      `${revealHidden(place)}: ${was === undefined ? '(nothing)' : show(was)} → ${is === undefined ? '(nothing)' : show(is)}`,
    ];
  });
  return bound(lines);
}

/** Describes the differences between two texts, or all of a new one. */
export function describeTexts(place: string, was: string | undefined, is: string): string[] {
  return bound(was === undefined ? [`${place}: ${show(is)}`] : showTexts(place, was, is));
}

function bound(lines: readonly string[]): string[] {
  let room = MAX_SHOWN;
  const shown = lines.flatMap((line) => {
    const kept = line.slice(0, Math.max(0, room));
    room -= line.length;
    return kept === '' ? [] : [kept];
  });
  return room >= 0
    ? shown
    : [...shown, `NOT ALL OF IT IS SHOWN: ${(-room).toLocaleString('en')} characters are left out.`];
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
  return [`${revealHidden(place)}:`, `  - ${show(cut(was))}`, `  + ${show(cut(is))}`];
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
  return revealHidden(JSON.stringify(value) ?? 'nothing');
}
