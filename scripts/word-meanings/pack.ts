import type { Near } from './find-nearest.ts';
import type { Meaning } from './reduce.ts';

const MAGIC = 0x44574750;
const NONE = 0xffff;
/** The largest number that four bits hold with a sign, one value left over. */
const LARGEST = 7;

/** Packs meanings the way `src/text/word-meanings.ts` reads them. */
export function pack(meanings: readonly Meaning[], nearest: readonly (readonly Near[])[], most: number): Uint8Array {
  const size = meanings[0]?.vector.length ?? 0;
  const keys = Buffer.from(meanings.map(({ stem }) => stem).join(''), 'latin1');
  const starts = new Uint32Array(meanings.length + 1);
  for (const [row, { stem }] of meanings.entries()) starts[row + 1] = (starts[row] ?? 0) + stem.length;
  const scales = new Float32Array(meanings.length);
  const vectors = new Uint8Array((meanings.length * size) / 2);
  for (const [row, { vector, weight }] of meanings.entries()) {
    const largest = Math.max(...vector.map(Math.abs)) || 1;
    const steps = Array.from(vector, (number) => Math.round((number / largest) * LARGEST));
    scales[row] = weight / (Math.hypot(...steps) || 1);
    for (let at = 0; at < size; at += 2) {
      vectors[(row * size + at) / 2] = ((steps[at] ?? 0) + 8) | (((steps[at + 1] ?? 0) + 8) << 4);
    }
  }
  const rows = new Uint16Array(meanings.length * most).fill(NONE);
  const likeness = new Uint8Array(meanings.length * most);
  for (const [row, list] of nearest.entries()) {
    for (const [place, near] of list.entries()) {
      rows[row * most + place] = near.row;
      likeness[row * most + place] = Math.round(255 * Math.min(1, near.likeness));
    }
  }
  const header = Uint32Array.of(MAGIC, meanings.length, size, most);
  return Buffer.concat(
    [header, scales, starts, rows, likeness, vectors, keys].map(
      (part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
    ),
  );
}
