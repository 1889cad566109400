import { readSync } from 'node:fs';
import { isPlainObject } from '../../tool/json.ts';

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

/** Returns the numbers of a tensor as they are stored: half floats of two bytes. */
type TensorReader = (name: string) => Uint16Array;

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
function halfValues(): Float32Array {
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

/** Turns a text into the numbers of its word pieces, at most `most` of them. */
type WordPieceReader = (text: string, most: number) => number[];

const CONTINUED = '##';
const LONGEST_WORD = 100;
/** Longer texts, in characters for each token, are cut before they are read. */
const LONGEST_TOKEN = 40;
const IDEOGRAPH =
  '\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2CEAF}\\u{2F800}-\\u{2FA1F}';
const ALONE = `\\p{P}$+<=>^\`|~${IDEOGRAPH}`;
const WORD = new RegExp(`[${ALONE}]|[^\\s${ALONE}]+`, 'gu');

/** Creates a reader for an uncased BERT vocabulary. Throws if the vocabulary lacks its special tokens. */
export function createWordPieces(vocabulary: Readonly<Record<string, number>>): WordPieceReader {
  const known = new Map(Object.entries(vocabulary));
  const special = (name: string): number => {
    const token = known.get(name);
    if (token === undefined) throw new Error(`The vocabulary of the model has no token ${name}. Install it again.`);
    return token;
  };
  const [start, end, unknown] = [special('[CLS]'), special('[SEP]'), special('[UNK]')];
  return (text, most) => {
    const tokens = [start];
    for (const [word] of normalize(text.slice(0, most * LONGEST_TOKEN)).matchAll(WORD)) {
      tokens.push(...(split(word, known) ?? [unknown]));
      if (tokens.length >= most) break;
    }
    tokens.length = Math.min(tokens.length, most - 1);
    tokens.push(end);
    return tokens;
  };
}

/** Converts to lower case without accents and control characters. */
function normalize(text: string): string {
  return text
    .replaceAll(/(?![\t\n\r])[\p{C}\uFFFD]/gu, '')
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** Finds the longest known pieces from left to right. Returns `undefined` if a part of the word is unknown. */
function split(word: string, known: ReadonlyMap<string, number>): number[] | undefined {
  const whole = known.get(word);
  if (whole !== undefined) return [whole];
  // Pieces end between characters, never inside one.
  const characters = Array.from(word);
  if (characters.length > LONGEST_WORD) return undefined;
  const pieces: number[] = [];
  for (let from = 0; from < characters.length;) {
    let to = characters.length;
    let piece: number | undefined;
    for (; to > from; to--) {
      piece = known.get((from === 0 ? '' : CONTINUED) + characters.slice(from, to).join(''));
      if (piece !== undefined) break;
    }
    if (piece === undefined) return undefined;
    pieces.push(piece);
    from = to;
  }
  return pieces;
}
