// The arithmetic of a small BERT, in AssemblyScript. `node scripts/generate-wasm.ts` compiles it.
//
// Weights and activations are multiplied as 12-bit integers: `dot_i16x8` does eight products at once, where floats do
// four and add them up apart. 384 sums of 2047 · 2047 in one lane still fit into 32 bits, so rows may have 1536 numbers.

const LARGEST: f32 = 2047;
const HIDDEN: i32 = 384;
const HEADS: i32 = 12;
const HEAD: i32 = 32;

// @ts-ignore: decorators are AssemblyScript's
@inline
function sumFloats(v: v128): f32 {
  const pairs = f32x4.add(v, i8x16.shuffle(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

// @ts-ignore
@inline
function sumIntegers(v: v128): f32 {
  return sumFloats(f32x4.convert_i32x4_s(v));
}

/** e^x, for x from -87 to 88; off by two units in the last place at most. */
// @ts-ignore
@inline
function exp(given: v128): v128 {
  const x = f32x4.min(f32x4.max(given, f32x4.splat(-87)), f32x4.splat(88));
  const whole = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504)));
  let rest = f32x4.sub(x, f32x4.mul(whole, f32x4.splat(0.693359375)));
  rest = f32x4.add(rest, f32x4.mul(whole, f32x4.splat(2.12194440e-4)));
  let y = f32x4.splat(1.9875691500e-4);
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(1.3981999507e-3));
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(8.3334519073e-3));
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(4.1665795894e-2));
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(1.6666665459e-1));
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(5.0000001201e-1));
  y = f32x4.add(f32x4.mul(y, f32x4.mul(rest, rest)), f32x4.add(rest, f32x4.splat(1)));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(whole), i32x4.splat(127)), 23);
  return f32x4.mul(y, power);
}

/** Rows of floats into rows of integers and one scale each. */
export function quantize(source: usize, target: usize, scales: usize, rows: i32, columns: i32): void {
  for (let row = 0; row < rows; row++) {
    let highest = f32x4.splat(0);
    for (let at = 0; at < columns; at += 4) {
      highest = f32x4.max(highest, f32x4.abs(v128.load(source + (<usize>at << 2))));
    }
    const top = max(
      max(f32x4.extract_lane(highest, 0), f32x4.extract_lane(highest, 1)),
      max(f32x4.extract_lane(highest, 2), f32x4.extract_lane(highest, 3)),
    );
    const factor = f32x4.splat(top == 0 ? 0 : LARGEST / top);
    store<f32>(scales + (<usize>row << 2), top / LARGEST);
    for (let at = 0; at < columns; at += 8) {
      const from = source + (<usize>at << 2);
      const low = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from), factor)));
      const high = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from, 16), factor)));
      v128.store(target + (<usize>at << 1), i16x8.narrow_i32x4_s(low, high));
    }
    source += <usize>columns << 2;
    target += <usize>columns << 1;
  }
}

/** c = a · bᵀ + bias, with the scales of both. `n` is a multiple of 4, `k` of 8. */
export function multiply(
  a: usize, aScales: usize, b: usize, bScales: usize, bias: usize, c: usize, m: i32, n: i32, k: i32,
): void {
  const stride = <usize>k << 1;
  const out = <usize>n << 2;
  // Sixteen rows of `a` stay in the first cache while `b` goes by.
  for (let block = 0; block < m; block += 16) {
    const last = min(block + 16, m);
    for (let column = 0; column < n; column += 4) {
      const b0 = b + <usize>column * stride;
      const b1 = b0 + stride;
      const b2 = b1 + stride;
      const b3 = b2 + stride;
      const scale = v128.load(bScales + (<usize>column << 2));
      const add = v128.load(bias + (<usize>column << 2));
      let row = block;
      for (; row + 1 < last; row += 2) {
        const a0 = a + <usize>row * stride;
        const a1 = a0 + stride;
        let s00 = i32x4.splat(0), s01 = i32x4.splat(0), s02 = i32x4.splat(0), s03 = i32x4.splat(0);
        let s10 = i32x4.splat(0), s11 = i32x4.splat(0), s12 = i32x4.splat(0), s13 = i32x4.splat(0);
        for (let at: usize = 0; at < stride; at += 16) {
          const x = v128.load(a0 + at);
          const y = v128.load(a1 + at);
          let w = v128.load(b0 + at);
          s00 = i32x4.add(s00, i32x4.dot_i16x8_s(x, w));
          s10 = i32x4.add(s10, i32x4.dot_i16x8_s(y, w));
          w = v128.load(b1 + at);
          s01 = i32x4.add(s01, i32x4.dot_i16x8_s(x, w));
          s11 = i32x4.add(s11, i32x4.dot_i16x8_s(y, w));
          w = v128.load(b2 + at);
          s02 = i32x4.add(s02, i32x4.dot_i16x8_s(x, w));
          s12 = i32x4.add(s12, i32x4.dot_i16x8_s(y, w));
          w = v128.load(b3 + at);
          s03 = i32x4.add(s03, i32x4.dot_i16x8_s(x, w));
          s13 = i32x4.add(s13, i32x4.dot_i16x8_s(y, w));
        }
        const to = c + <usize>row * out + (<usize>column << 2);
        finish(to, s00, s01, s02, s03, f32x4.mul(scale, f32x4.splat(load<f32>(aScales + (<usize>row << 2)))), add);
        finish(to + out, s10, s11, s12, s13, f32x4.mul(scale, f32x4.splat(load<f32>(aScales + (<usize>row << 2), 4))), add);
      }
      if (row < last) {
        const a0 = a + <usize>row * stride;
        let s0 = i32x4.splat(0), s1 = i32x4.splat(0), s2 = i32x4.splat(0), s3 = i32x4.splat(0);
        for (let at: usize = 0; at < stride; at += 16) {
          const x = v128.load(a0 + at);
          s0 = i32x4.add(s0, i32x4.dot_i16x8_s(x, v128.load(b0 + at)));
          s1 = i32x4.add(s1, i32x4.dot_i16x8_s(x, v128.load(b1 + at)));
          s2 = i32x4.add(s2, i32x4.dot_i16x8_s(x, v128.load(b2 + at)));
          s3 = i32x4.add(s3, i32x4.dot_i16x8_s(x, v128.load(b3 + at)));
        }
        const to = c + <usize>row * out + (<usize>column << 2);
        finish(to, s0, s1, s2, s3, f32x4.mul(scale, f32x4.splat(load<f32>(aScales + (<usize>row << 2)))), add);
      }
    }
  }
}

// @ts-ignore
@inline
function finish(to: usize, s0: v128, s1: v128, s2: v128, s3: v128, scale: v128, add: v128): void {
  // Four sums across their lanes at once: transpose in floats, for the whole may be over 32 bits.
  const f0 = f32x4.convert_i32x4_s(s0);
  const f1 = f32x4.convert_i32x4_s(s1);
  const f2 = f32x4.convert_i32x4_s(s2);
  const f3 = f32x4.convert_i32x4_s(s3);
  const p01 = f32x4.add(v128.shuffle<f32>(f0, f1, 0, 4, 1, 5), v128.shuffle<f32>(f0, f1, 2, 6, 3, 7));
  const p23 = f32x4.add(v128.shuffle<f32>(f2, f3, 0, 4, 1, 5), v128.shuffle<f32>(f2, f3, 2, 6, 3, 7));
  const sums = f32x4.add(v128.shuffle<f32>(p01, p23, 0, 1, 4, 5), v128.shuffle<f32>(p01, p23, 2, 3, 6, 7));
  v128.store(to, f32x4.add(f32x4.mul(sums, scale), add));
}

/** Self-attention of one text over rows of query, key and value. `scores` has room for a number per row, and 3 more. */
export function attend(rows: usize, out: usize, scores: usize, count: i32): void {
  const stride: usize = <usize>HIDDEN * 3 * 4;
  const scale: f32 = 0.17677669529; // 1 / √32
  const padded = (count + 3) & ~3;
  for (let head = 0; head < HEADS; head++) {
    const queries = rows + <usize>(head * HEAD * 4);
    const keys = queries + <usize>(HIDDEN * 4);
    const values = keys + <usize>(HIDDEN * 4);
    for (let row = 0; row < count; row++) {
      const query = queries + <usize>row * stride;
      const q0 = v128.load(query), q1 = v128.load(query, 16), q2 = v128.load(query, 32), q3 = v128.load(query, 48);
      const q4 = v128.load(query, 64), q5 = v128.load(query, 80), q6 = v128.load(query, 96), q7 = v128.load(query, 112);
      let highest: f32 = -Infinity;
      for (let other = 0; other < count; other++) {
        const key = keys + <usize>other * stride;
        let s = f32x4.mul(q0, v128.load(key));
        let t = f32x4.mul(q1, v128.load(key, 16));
        s = f32x4.add(s, f32x4.mul(q2, v128.load(key, 32)));
        t = f32x4.add(t, f32x4.mul(q3, v128.load(key, 48)));
        s = f32x4.add(s, f32x4.mul(q4, v128.load(key, 64)));
        t = f32x4.add(t, f32x4.mul(q5, v128.load(key, 80)));
        s = f32x4.add(s, f32x4.mul(q6, v128.load(key, 96)));
        t = f32x4.add(t, f32x4.mul(q7, v128.load(key, 112)));
        const score = sumFloats(f32x4.add(s, t)) * scale;
        store<f32>(scores + (<usize>other << 2), score);
        highest = max(highest, score);
      }
      for (let other = count; other < padded; other++) store<f32>(scores + (<usize>other << 2), -1e9);
      let total = f32x4.splat(0);
      const top = f32x4.splat(highest);
      for (let other = 0; other < padded; other += 4) {
        const at = scores + (<usize>other << 2);
        const weight = exp(f32x4.sub(v128.load(at), top));
        v128.store(at, weight);
        total = f32x4.add(total, weight);
      }
      let o0 = f32x4.splat(0), o1 = f32x4.splat(0), o2 = f32x4.splat(0), o3 = f32x4.splat(0);
      let o4 = f32x4.splat(0), o5 = f32x4.splat(0), o6 = f32x4.splat(0), o7 = f32x4.splat(0);
      for (let other = 0; other < count; other++) {
        const value = values + <usize>other * stride;
        const weight = v128.load32_splat(scores + (<usize>other << 2));
        o0 = f32x4.add(o0, f32x4.mul(weight, v128.load(value)));
        o1 = f32x4.add(o1, f32x4.mul(weight, v128.load(value, 16)));
        o2 = f32x4.add(o2, f32x4.mul(weight, v128.load(value, 32)));
        o3 = f32x4.add(o3, f32x4.mul(weight, v128.load(value, 48)));
        o4 = f32x4.add(o4, f32x4.mul(weight, v128.load(value, 64)));
        o5 = f32x4.add(o5, f32x4.mul(weight, v128.load(value, 80)));
        o6 = f32x4.add(o6, f32x4.mul(weight, v128.load(value, 96)));
        o7 = f32x4.add(o7, f32x4.mul(weight, v128.load(value, 112)));
      }
      const share = f32x4.splat(1 / sumFloats(total));
      const to = out + <usize>((row * HIDDEN + head * HEAD) << 2);
      v128.store(to, f32x4.mul(o0, share));
      v128.store(to, f32x4.mul(o1, share), 16);
      v128.store(to, f32x4.mul(o2, share), 32);
      v128.store(to, f32x4.mul(o3, share), 48);
      v128.store(to, f32x4.mul(o4, share), 64);
      v128.store(to, f32x4.mul(o5, share), 80);
      v128.store(to, f32x4.mul(o6, share), 96);
      v128.store(to, f32x4.mul(o7, share), 112);
    }
  }
}

/** x = norm(x + y) · gain + bias, row by row. */
export function addAndNorm(x: usize, y: usize, gain: usize, bias: usize, rows: i32): void {
  for (let row = 0; row < rows; row++) {
    let sum = f32x4.splat(0);
    for (let at: usize = 0; at < <usize>HIDDEN << 2; at += 16) {
      const both = f32x4.add(v128.load(x + at), v128.load(y + at));
      v128.store(x + at, both);
      sum = f32x4.add(sum, both);
    }
    const mean = f32x4.splat(sumFloats(sum) / <f32>HIDDEN);
    let squares = f32x4.splat(0);
    for (let at: usize = 0; at < <usize>HIDDEN << 2; at += 16) {
      const off = f32x4.sub(v128.load(x + at), mean);
      squares = f32x4.add(squares, f32x4.mul(off, off));
    }
    const factor = f32x4.splat(1 / <f32>Math.sqrt(<f64>(sumFloats(squares) / <f32>HIDDEN) + 1e-12));
    for (let at: usize = 0; at < <usize>HIDDEN << 2; at += 16) {
      const off = f32x4.mul(f32x4.sub(v128.load(x + at), mean), factor);
      v128.store(x + at, f32x4.add(f32x4.mul(off, v128.load(gain + at)), v128.load(bias + at)));
    }
    x += <usize>HIDDEN << 2;
    y += <usize>HIDDEN << 2;
  }
}

/** GELU with the error function (Abramowitz and Stegun 7.1.26). */
export function activate(x: usize, count: i32): void {
  const end = x + (<usize>count << 2);
  const one = f32x4.splat(1);
  for (; x < end; x += 16) {
    const value = v128.load(x);
    const z = f32x4.mul(f32x4.abs(value), f32x4.splat(0.70710678));
    const t = f32x4.div(one, f32x4.add(one, f32x4.mul(z, f32x4.splat(0.3275911))));
    let y = f32x4.splat(1.061405429);
    y = f32x4.add(f32x4.mul(y, t), f32x4.splat(-1.453152027));
    y = f32x4.add(f32x4.mul(y, t), f32x4.splat(1.421413741));
    y = f32x4.add(f32x4.mul(y, t), f32x4.splat(-0.284496736));
    y = f32x4.add(f32x4.mul(y, t), f32x4.splat(0.254829592));
    const error = f32x4.sub(one, f32x4.mul(f32x4.mul(y, t), exp(f32x4.neg(f32x4.mul(z, z)))));
    // erf is odd: the sign of x goes over to it.
    const signed = v128.or(error, v128.and(value, f32x4.splat(-0.0)));
    v128.store(x, f32x4.mul(f32x4.mul(value, f32x4.splat(0.5)), f32x4.add(one, signed)));
  }
}

/** The mean of rows, made one long. */
export function pool(x: usize, out: usize, rows: i32): void {
  let squares: f32 = 0;
  for (let at: usize = 0; at < <usize>HIDDEN << 2; at += 16) {
    let sum = f32x4.splat(0);
    let from = x + at;
    for (let row = 0; row < rows; row++) {
      sum = f32x4.add(sum, v128.load(from));
      from += <usize>HIDDEN << 2;
    }
    v128.store(out + at, sum);
    squares += sumFloats(f32x4.mul(sum, sum));
  }
  const factor = f32x4.splat(squares == 0 ? 0 : 1 / <f32>Math.sqrt(<f64>squares));
  for (let at: usize = 0; at < <usize>HIDDEN << 2; at += 16) {
    v128.store(out + at, f32x4.mul(v128.load(out + at), factor));
  }
}
