import { readSync } from 'node:fs';
import { isPlainObject } from '../../tool/json.ts';

/** Returns the numbers of a tensor as they are stored: half floats of two bytes. */
export type TensorReader = (name: string) => Uint16Array;

/** Reads a safetensors file of half floats, tensor by tensor. Throws if a tensor is missing or has another type. */
export function readTensors(file: number): TensorReader {
  const length = Number(new DataView(readBytes(file, 0, 8)).getBigUint64(0, true));
  const header: unknown = JSON.parse(new TextDecoder().decode(readBytes(file, 8, length)));
  return (name) => {
    const found = isPlainObject(header) ? header[name] : undefined;
    const offsets = isPlainObject(found) && found['dtype'] === 'F16' ? found['data_offsets'] : undefined;
    if (!Array.isArray(offsets)) throw new Error(`The model's weights have no "${name}" in F16. Install them again.`);
    const [from, to] = [Number(offsets[0]), Number(offsets[1])];
    return new Uint16Array(readBytes(file, 8 + length + from, to - from));
  };
}

function readBytes(file: number, from: number, length: number): ArrayBuffer {
  const bytes = new ArrayBuffer(length);
  for (let read = 0; read < length;) {
    const got = readSync(file, new Uint8Array(bytes, read), { position: from + read });
    if (got === 0) throw new Error("The model's weights end too soon. Install them again.");
    read += got;
  }
  return bytes;
}

/** Returns the value of each half float, by its bits. */
export function halfValues(): Float32Array {
  const values = new Float32Array(65_536);
  for (let bits = 0; bits < values.length; bits++) {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    // Weights have no infinities.
    const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
    values[bits] = bits >> 15 === 1 ? -size : size;
  }
  return values;
}
