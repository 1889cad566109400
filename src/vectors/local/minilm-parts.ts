import { halfValues, type TensorReader } from './read-tensors.ts';
import type { WordPieceReader } from './word-pieces.ts';

/** Numbers in a token's row and in the vector of a text. */
export const HIDDEN = 384;
/** Numbers in a token's row between the two products of a layer. */
export const INNER = 1536;
export const LAYERS = 6;
/** Tokens of a text that count: the model was trained with this many. */
export const MOST_TOKENS = 256;

/** The model all-MiniLM-L6-v2: returns a unit vector of 384 numbers for each text. */
export interface MiniLm {
  embed(texts: readonly string[]): Float32Array[] | Promise<Float32Array[]>;
}

/** The parts that both engines need. */
export interface MiniLmParts {
  /** Returns the numbers of a tensor by its name. */
  readonly floats: (name: string) => Float32Array;
  /** Writes the row of a token at its position in a text. */
  readonly writeToken: (target: Float32Array, at: TokenPlace) => void;
  readonly readPieces: WordPieceReader;
}

/** The position of a token in its text, and the row to write. */
interface TokenPlace {
  readonly token: number;
  readonly place: number;
  readonly row: number;
}

/** Reads the parts that both engines need. */
export function readMiniLm(tensor: TensorReader, readPieces: WordPieceReader): MiniLmParts {
  const half = halfValues();
  const floats = (name: string): Float32Array => toFloats(tensor(name), half);
  const words = tensor('embeddings.word_embeddings.weight');
  const places = floats('embeddings.position_embeddings.weight').subarray(0, MOST_TOKENS * HIDDEN);
  const kind = floats('embeddings.token_type_embeddings.weight').subarray(0, HIDDEN);
  return {
    floats,
    readPieces,
    // The sum of the word, its position and the kind of text.
    writeToken: (target, { token, place, row }) => {
      for (let index = 0; index < HIDDEN; index++) {
        const word = half[words[token * HIDDEN + index] ?? 0] ?? 0;
        target[row * HIDDEN + index] = word + (places[place * HIDDEN + index] ?? 0) + (kind[index] ?? 0);
      }
    },
  };
}

function toFloats(halves: Uint16Array, values: Float32Array): Float32Array {
  const floats = new Float32Array(halves.length);
  for (let index = 0; index < halves.length; index++) floats[index] = values[halves[index] ?? 0] ?? 0;
  return floats;
}
