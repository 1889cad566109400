import { formatPath } from '../tool/texts/explain-issues.ts';
import { isPlainObject } from '../tool/json.ts';

const MAX_LINES = 20;
const MAX_VALUE = 300;

/** What differs between two pieces of JSON, a line for each value that is gone, new or changed; empty when nothing does. */
export function diffJson(before: unknown, after: unknown): string {
  const lines = [...differences(before, after, [])];
  const more = lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} more lines`] : [];
  return [...lines.slice(0, MAX_LINES), ...more].join('\n');
}

function* differences(before: unknown, after: unknown, path: readonly (string | number)[]): Generator<string> {
  if (Array.isArray(before) && Array.isArray(after)) {
    const [old, now]: [unknown[], unknown[]] = [before, after];
    for (let index = 0; index < Math.max(old.length, now.length); index++) {
      yield* differences(old[index], now[index], [...path, index]);
    }
    return;
  }
  if (isPlainObject(before) && isPlainObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* differences(before[key], after[key], [...path, key]);
    }
    return;
  }
  if (Object.is(before, after)) return;
  const where = formatPath(path);
  if (before !== undefined) yield `- ${where}: ${show(before)}`;
  if (after !== undefined) yield `+ ${where}: ${show(after)}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
