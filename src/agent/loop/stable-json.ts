import { isPlainObject } from '../../tool/json.ts';

/** JSON that is the same for the same data, whatever order its keys were written in. */
export function toStableJson(value: unknown): string {
  if (!isPlainObject(value) || isInOrder(value)) return JSON.stringify(value);
  return JSON.stringify(value, (_, part: unknown) =>
    isPlainObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** Most arguments are a few plain values whose keys are in order already. */
function isInOrder(value: Record<string, unknown>): boolean {
  let last = '';
  for (const key of Object.keys(value)) {
    if (key < last || typeof value[key] === 'object') return false;
    last = key;
  }
  return true;
}
