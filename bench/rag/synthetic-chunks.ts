import type { KnowledgeDocument, NewChunk } from '../../src/knowledge/vector-store.ts';

/** Numbers in a vector: those of the local model. */
export const DIMENSION = 384;
/** Directions in which vectors really differ, as those of a model do in far fewer than they have numbers. */
const INNER = 48;
export const CLUSTERS = 2_000;
/** Ways in which a vector can be off its centre, in those directions and in all: a vector has one of each. */
const SPREADS = 5_000;
/** Clusters of a topic, which is a folder of documents: one hundredth of all chunks. */
export const CLUSTERS_A_TOPIC = 20;
const VOCABULARY = 100_000;
const WORDS_A_CHUNK = 60;
const [FRONTS, VOWELS] = ['bdfgklmnprtvz', 'aou'];
export const CHUNKS_A_DOCUMENT = 10;

/** Makes the same chunks in every run: words as often as in real texts, vectors in clusters. */
export class SyntheticChunks {
  #seed: number;
  readonly #centres: readonly Float32Array[];
  readonly #inner: readonly Float32Array[];
  readonly #outer: readonly Float32Array[];

  constructor(seed = 1) {
    this.#seed = 7;
    const map = this.#many(DIMENSION, INNER);
    const mapped = (count: number, width: number): Float32Array[] =>
      this.#many(count, INNER).map((inner) =>
        Float32Array.from(
          map,
          (row) => row.reduce((sum, value, place) => sum + value * (inner[place] ?? 0), 0) * width,
        ),
      );
    this.#centres = mapped(CLUSTERS, 1);
    this.#inner = mapped(SPREADS, 0.6);
    this.#outer = this.#many(SPREADS, DIMENSION).map((vector) => vector.map((value) => value * 0.5));
    this.#seed = seed;
  }

  /** The summands of a vector, one of each: the centres of all topics in turn, and the offsets from them. */
  get parts(): readonly (readonly Float32Array[])[] {
    return [this.#centres, this.#inner, this.#outer];
  }

  /** A document of one topic. One in a hundred has the tag `rare` and one in ten the tag `some`, of any topic. */
  document(number: number): KnowledgeDocument {
    const topic = Math.floor(this.#random() * (CLUSTERS / CLUSTERS_A_TOPIC));
    const tags = ['usual', ...(this.#random() < 0.01 ? ['rare'] : []), ...(this.#random() < 0.1 ? ['some'] : [])];
    const chunks = Array.from({ length: CHUNKS_A_DOCUMENT }, (): NewChunk => ({
      text: this.text(WORDS_A_CHUNK),
      headings: [],
      lines: undefined,
      embedding: this.vector(topic),
    }));
    const id = `topic${topic}/${number}`;
    return { id, contentHash: id, type: 'general', tags, sourcePath: id, stamp: undefined, chunks };
  }

  /** A text whose words are as often as Zipf has it, the first hundred left out: those are stop words. */
  text(words: number): string {
    return Array.from({ length: words }, () => {
      const rank = Math.floor(100 * (VOCABULARY / 100) ** this.#random());
      return toWord(rank);
    }).join(' ');
  }

  /** A vector near one of the centres of a topic. Default: of any. */
  vector(topic = Math.floor(this.#random() * (CLUSTERS / CLUSTERS_A_TOPIC))): Float32Array {
    const cluster = topic * CLUSTERS_A_TOPIC + Math.floor(this.#random() * CLUSTERS_A_TOPIC);
    const [centre, inner, outer] = [this.#centres[cluster], this.#any(this.#inner), this.#any(this.#outer)];
    const vector = new Float32Array(DIMENSION);
    for (let place = 0; place < DIMENSION; place++)
      vector[place] = (centre?.[place] ?? 0) + (inner?.[place] ?? 0) + (outer?.[place] ?? 0);
    return vector;
  }

  #any<T>(values: readonly T[]): T | undefined {
    return values[Math.floor(this.#random() * values.length)];
  }

  #many(count: number, length: number): Float32Array[] {
    return Array.from({ length: count }, () => Float32Array.from({ length }, () => this.#normal()));
  }

  #random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }

  #normal(): number {
    // Close enough, and quicker than logarithms.
    return (this.#random() + this.#random() + this.#random() + this.#random() - 2) * 1.73;
  }
}

/** A word for each number, which no rule of English changes. */
function toWord(number: number): string {
  let word = '';
  for (let rest = number; rest > 0;) {
    word += FRONTS[rest % FRONTS.length] ?? '';
    rest = Math.floor(rest / FRONTS.length);
    word += VOWELS[rest % VOWELS.length] ?? '';
    rest = Math.floor(rest / VOWELS.length);
  }
  return `${word}k`;
}
