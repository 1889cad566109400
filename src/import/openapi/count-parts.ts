/**
 * Counts the objects, lists and values of a document as they would be written out: what stands in several places counts in each.
 * With `perPart`, so many characters of a text count as a part. It stops above `limit`: a few lines can stand for billions.
 */
export function countParts(value: unknown, limit: number, perPart = Infinity): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count <= limit) {
    const part = open.pop();
    count += typeof part === 'string' ? 1 + Math.floor(part.length / perPart) : 1;
    if (typeof part !== 'object' || part === null) continue;
    for (const inner of Object.values(part)) open.push(inner);
  }
  return count;
}

/** Tells whether a document without circles has more than `limit` levels: what walks through it would fill the stack. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= limit; depth++) {
    const below: unknown[] = [];
    for (const part of level) {
      if (typeof part !== 'object' || part === null) continue;
      for (const inner of Object.values(part)) below.push(inner);
    }
    if (below.length === 0) return false;
    level = below;
  }
  return true;
}
