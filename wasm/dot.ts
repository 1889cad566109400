// Dot products of one vector with many, in AssemblyScript. `node scripts/generate-wasm.ts` compiles it.

/**
 * For each of `count` rows of `stride` signed bytes, the dot product with the `stride` 16-bit numbers at `query`, as a
 * 32-bit number at `out`. `stride` is a multiple of 16. The caller sees to it that no sum leaves 32 bits.
 */
export function dots(query: usize, rows: usize, stride: usize, count: i32, out: usize): void {
  for (; count > 0; count--) {
    let low = i32x4.splat(0);
    let high = i32x4.splat(0);
    let at = query;
    for (const end = rows + stride; rows < end; rows += 16, at += 32) {
      const bytes = v128.load(rows);
      low = i32x4.add(low, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(bytes), v128.load(at)));
      high = i32x4.add(high, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(bytes), v128.load(at, 16)));
    }
    low = i32x4.add(low, high);
    const first = i32x4.extract_lane(low, 0) + i32x4.extract_lane(low, 1);
    store<i32>(out, first + i32x4.extract_lane(low, 2) + i32x4.extract_lane(low, 3));
    out += 4;
  }
}
