import { isPlainObject } from '../core/json.ts';

/** JSON that is the same for the same data, whatever order its keys were written in. */
export function toStableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isPlainObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
