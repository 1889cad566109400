const HEADER = 12;
const MOST = 127;

/** A vector as signed bytes, with the numbers that bound the error of a dot product with it. */
interface PackedVector {
  /** `bytes × scale` approximates the vector. */
  readonly scale: number;
  /** The length of the difference between the two. */
  readonly residual: number;
  /** Half the square of the vector's length. */
  readonly halfSquare: number;
  readonly bytes: Int8Array;
}

/** Rounds a vector to signed bytes, in the format of the file. */
export function packVector(vector: Float32Array): Uint8Array {
  let most = 0;
  let squares = 0;
  for (const value of vector) {
    most = Math.max(most, Math.abs(value));
    squares += value * value;
  }
  const scale = Math.fround(most / MOST);
  const packed = new Uint8Array(HEADER + vector.length);
  const bytes = new Int8Array(packed.buffer, HEADER);
  let lost = 0;
  for (const [place, value] of vector.entries()) {
    const rounded = scale === 0 ? 0 : Math.max(-MOST, Math.min(MOST, Math.round(value / scale)));
    bytes[place] = rounded;
    lost += (value - rounded * scale) ** 2;
  }
  const header = new DataView(packed.buffer);
  header.setFloat32(0, scale, true);
  header.setFloat32(4, Math.sqrt(lost), true);
  header.setFloat32(8, squares / 2, true);
  return packed;
}

/** Reads the bytes that `packVector` wrote. */
export function unpackVector(packed: Uint8Array): PackedVector {
  const header = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  return {
    scale: header.getFloat32(0, true),
    residual: header.getFloat32(4, true),
    halfSquare: header.getFloat32(8, true),
    bytes: new Int8Array(packed.buffer, packed.byteOffset + HEADER, packed.byteLength - HEADER),
  };
}

/** A query rounded to 16-bit numbers, so finely that its own error hardly counts. */
export interface PackedQuery {
  readonly values: Int16Array;
  readonly scale: number;
  readonly length: number;
  /** The length of what rounding lost. */
  readonly residual: number;
}

/** Rounds a query so that no sum of products with signed bytes exceeds 32 bits. */
export function packQuery(vector: Float32Array): PackedQuery {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  // The kernel adds a quarter of all products in each of four lanes, and the lanes at the end.
  const range = Math.min(32_767, Math.floor(2 ** 31 / (MOST * (vector.length + 16))));
  const scale = most / range;
  const values = new Int16Array(vector.length);
  let lost = 0;
  let squares = 0;
  for (const [place, value] of vector.entries()) {
    const rounded = scale === 0 ? 0 : Math.round(value / scale);
    values[place] = rounded;
    lost += (value - rounded * scale) ** 2;
    squares += value * value;
  }
  return { values, scale, length: Math.sqrt(squares), residual: Math.sqrt(lost) };
}
