import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { HttpBody } from '../../platform/http/http-messages.ts';

/** The expected answer. */
export interface VectorsExpected {
  readonly url: string;
  readonly count: number;
  /** Numbers in each vector, if known. */
  readonly dimension: number | undefined;
}

/** Reads the vectors of an answer in the order of the texts, scaled to length 1. Throws if the answer has another shape. */
export function readVectors(body: HttpBody, expected: VectorsExpected): Float32Array[] {
  const fail = (fault: string): ToolError =>
    new ToolError({
      code: 'execution_failed',
      message: `The embedder at ${expected.url} answered ${fault}. Check that url leads to an OpenAI-compatible API.`,
    });
  const value = body.type === 'json' ? body.value : undefined;
  const data = isPlainObject(value) ? value['data'] : undefined;
  if (!Array.isArray(data)) throw fail('without a list "data"');
  const { count } = expected;
  if (data.length !== count) throw fail(`with ${data.length} vectors for ${count} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  let dimension = expected.dimension;
  for (const [place, item] of data.entries()) {
    const index: unknown = isPlainObject(item) ? (item['index'] ?? place) : undefined;
    const numbers: unknown = isPlainObject(item) ? item['embedding'] : undefined;
    if (typeof index !== 'number' || !(index in vectors)) throw fail(`with a vector for text ${String(index)}`);
    if (vectors[index] !== undefined) throw fail(`with two vectors for text ${index}`);
    if (!Array.isArray(numbers) || numbers.length === 0) throw fail('with a vector that is not a list of numbers');
    dimension ??= numbers.length;
    if (numbers.length !== dimension) {
      throw fail(
        `with a vector of ${numbers.length} numbers, not ${dimension}; remove dimensions, or name another model`,
      );
    }
    const vector = toUnit(numbers);
    if (vector === undefined) throw fail('with a vector that has other values than numbers');
    vectors[index] = vector;
  }
  return vectors.map((vector) => vector ?? new Float32Array());
}

/** Scales numbers to length 1. Returns `undefined` if one of them is not a finite number. */
function toUnit(numbers: readonly unknown[]): Float32Array | undefined {
  const vector = new Float32Array(numbers.length);
  let squares = 0;
  for (const [place, number] of numbers.entries()) {
    if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
    vector[place] = number;
    squares += number * number;
  }
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length)) return undefined;
  if (length > 0) for (let place = 0; place < vector.length; place++) vector[place] = Number(numbers[place]) / length;
  return vector;
}
