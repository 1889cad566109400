// Dot products of one vector with many, in AssemblyScript. `node scripts/generate-wasm.ts` compiles it.

/** The products of a vector with `count` rows of integers, each with its scale. `length` is a multiple of 8. */
export function dots(vector: usize, rows: usize, scales: usize, out: usize, count: i32, length: i32): void {
  const stride = <usize>length << 1;
  for (let row = 0; row < count; row++) {
    let s = i32x4.splat(0);
    let t = i32x4.splat(0);
    let at: usize = 0;
    for (; at + 16 < stride; at += 32) {
      s = i32x4.add(s, i32x4.dot_i16x8_s(v128.load(vector + at), v128.load(rows + at)));
      t = i32x4.add(t, i32x4.dot_i16x8_s(v128.load(vector + at, 16), v128.load(rows + at, 16)));
    }
    if (at < stride) s = i32x4.add(s, i32x4.dot_i16x8_s(v128.load(vector + at), v128.load(rows + at)));
    const floats = f32x4.add(f32x4.convert_i32x4_s(s), f32x4.convert_i32x4_s(t));
    const pairs = f32x4.add(floats, i8x16.shuffle(floats, floats, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    const sum = f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
    store<f32>(out + (<usize>row << 2), sum * load<f32>(scales + (<usize>row << 2)));
    rows += stride;
  }
}
