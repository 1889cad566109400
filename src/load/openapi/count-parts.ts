/**
 * Counts the objects, lists and values of a document as they would be written out: what stands in several places counts in each.
 * It stops above `limit`: a few lines can stand for billions.
 */
export function countParts(value: unknown, limit: number): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count <= limit) {
    const part = open.pop();
    count++;
    if (typeof part !== 'object' || part === null) continue;
    for (const inner of Object.values(part)) open.push(inner);
  }
  return count;
}
