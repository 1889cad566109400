import { dot, type Meaning } from './reduce.ts';

/** A stem by its row, and how near it is. */
export interface Near {
  readonly row: number;
  readonly likeness: number;
}

const LEAST = 0.4;

/** The nearest others of each meaning, the nearest first. */
export function findNearest(meanings: readonly Meaning[], most: number): Near[][] {
  const vectors = meanings.map(({ vector }) => vector);
  const nearest = meanings.map((): Near[] => []);
  for (const [row, vector] of vectors.entries()) {
    for (let other = row + 1; other < vectors.length; other++) {
      const likeness = dot(vector, vectors[other] ?? vector);
      if (likeness < LEAST) continue;
      keep(nearest[row] ?? [], { row: other, likeness }, most);
      keep(nearest[other] ?? [], { row, likeness }, most);
    }
  }
  return nearest;
}

function keep(list: Near[], near: Near, most: number): void {
  if (list.length >= most && near.likeness <= (list.at(-1)?.likeness ?? 0)) return;
  const place = list.findIndex(({ likeness }) => likeness < near.likeness);
  list.splice(place < 0 ? list.length : place, 0, near);
  if (list.length > most) list.pop();
}
