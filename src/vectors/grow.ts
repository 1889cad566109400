/** Copies numbers into a larger array and returns that. */
export function grow<Numbers extends Int8Array | Int32Array | Float32Array | Float64Array>(
  old: Numbers,
  larger: Numbers,
): Numbers {
  larger.set(old);
  return larger;
}
