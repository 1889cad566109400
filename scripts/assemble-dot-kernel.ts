// Assembles the WebAssembly kernel of the sqlite store's vector search: node scripts/assemble-dot-kernel.ts
//
// dots(query, vectors, stride, count, out): for each of `count` rows of `stride` signed bytes at `vectors`, the dot
// product with the `stride` 16-bit numbers at `query`, as a 32-bit number at `out`. `stride` is a multiple of 16.
// The memory is the caller's, imported as env.memory.
import { writeFileSync } from 'node:fs';

const I32 = 0x7f;
const V128 = 0x7b;
const EMPTY_BLOCK = 0x40;

const unsigned = (value: number): number[] => {
  const low = value & 0x7f;
  return value > 0x7f ? [low | 0x80, ...unsigned(value >>> 7)] : [low];
};
const text = (value: string): number[] => [...unsigned(value.length), ...Buffer.from(value)];
const list = (items: readonly (readonly number[])[]): number[] => [...unsigned(items.length), ...items.flat()];
const section = (id: number, content: readonly number[]): number[] => [id, ...unsigned(content.length), ...content];

const get = (local: number): number[] => [0x20, ...unsigned(local)];
const set = (local: number): number[] => [0x21, ...unsigned(local)];
const i32 = (value: number): number[] => [0x41, ...unsigned(value)];
const simd = (code: number): number[] => [0xfd, ...unsigned(code)];
const load128 = (offset: number): number[] => [...simd(0x00), 0, ...unsigned(offset)];
const lane = (index: number): number[] => [...simd(0x1b), index];
const increase = (local: number, by: readonly number[]): number[] => [...get(local), ...by, 0x6a, ...set(local)];

const EXTEND_LOW = simd(0x87);
const EXTEND_HIGH = simd(0x88);
const DOT = simd(0xba);
const ADD = simd(0xae);
const ZERO = [...simd(0x0c), ...Array.from({ length: 16 }, () => 0)];

const [query, vectors, stride, count, out, at, queryAt, end, bytes, low, high] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
] as const;

const join = (...parts: readonly (readonly number[])[]): number[] => parts.flat();

/** low += dot(bytes 0–7, query 0–7); high += dot(bytes 8–15, query 8–15). */
const step = join(
  join(get(at), load128(0), set(bytes)),
  join(get(low), get(bytes), EXTEND_LOW, get(queryAt), load128(0), DOT, ADD, set(low)),
  join(get(high), get(bytes), EXTEND_HIGH, get(queryAt), load128(16), DOT, ADD, set(high)),
  increase(at, i32(16)),
  increase(queryAt, i32(32)),
);
const sum = [0, 1, 2, 3].flatMap((index) => join(get(low), lane(index), index === 0 ? [] : [0x6a]));
const row = join(
  join(ZERO, set(low), ZERO, set(high)),
  join(get(query), set(queryAt)),
  join(get(at), get(stride), [0x6a], set(end)),
  // loop: step; while (at < end)
  join([0x03, EMPTY_BLOCK], step, get(at), get(end), [0x49, 0x0d, 0, 0x0b]),
  join(get(low), get(high), ADD, set(low)),
  join(get(out), sum, [0x36, 2, 0]),
  increase(out, i32(4)),
  join(get(count), i32(1), [0x6b], set(count)),
);
const code = join(
  join(get(vectors), set(at)),
  // block: if (count == 0) leave; loop: row; while (count)
  join([0x02, EMPTY_BLOCK], get(count), [0x45, 0x0d, 0]),
  join([0x03, EMPTY_BLOCK], row, get(count), [0x0d, 0, 0x0b]),
  [0x0b, 0x0b],
);
const locals = list([
  [3, I32],
  [3, V128],
]);
const body = join(locals, code);

const module = join(
  [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  section(1, list([[0x60, ...list([[I32], [I32], [I32], [I32], [I32]]), 0]])),
  section(2, list([[...text('env'), ...text('memory'), 2, 0, 1]])),
  section(3, list([[0]])),
  section(7, list([[...text('dots'), 0, 0]])),
  section(10, list([[...unsigned(body.length), ...body]])),
);
const bytesOf = Buffer.from(module);

writeFileSync(
  new URL('../src/knowledge/stores/sqlite/dot-kernel.generated.ts', import.meta.url),
  `// Made by scripts/assemble-dot-kernel.ts, which has the source. Do not edit.\n\n` +
    `/** The kernel's WebAssembly module, in base64. */\nexport const DOT_KERNEL =\n  '${bytesOf.toString('base64')}';\n`,
);
