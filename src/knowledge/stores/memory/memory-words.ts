import { countTerms, inverseFrequency, weighTerms, weighWord } from '../../../text/read-terms.ts';
import type { SearchHit } from '../../vector-store.ts';

/** An in-memory index of the words of chunks. */
export class MemoryWords {
  readonly #postings = new Map<string, Map<string, number>>();
  readonly #chunks = new Map<string, { readonly terms: readonly string[]; readonly length: number }>();
  #length = 0;

  get size(): number {
    return this.#chunks.size;
  }

  add(id: string, terms: readonly string[]): void {
    const counts = countTerms(terms);
    this.#chunks.set(id, { terms: [...counts.keys()], length: terms.length });
    this.#length += terms.length;
    for (const [term, count] of counts) {
      let postings = this.#postings.get(term);
      if (postings === undefined) this.#postings.set(term, (postings = new Map()));
      postings.set(id, count);
    }
  }

  remove(id: string): void {
    const chunk = this.#chunks.get(id);
    if (chunk === undefined) return;
    this.#chunks.delete(id);
    this.#length -= chunk.length;
    for (const term of chunk.terms) {
      const postings = this.#postings.get(term);
      postings?.delete(id);
      if (postings?.size === 0) this.#postings.delete(term);
    }
  }

  /** Scores every chunk with at least one of the words, in no particular order. */
  search(text: string): SearchHit[] {
    const scores = new Map<string, number>();
    const averageLength = this.#length / this.#chunks.size;
    for (const [term, asked] of weighTerms(text)) {
      const postings = this.#postings.get(term);
      if (postings === undefined) continue;
      const weight = asked * inverseFrequency(postings.size, this.#chunks.size);
      for (const [id, count] of postings) {
        const relativeLength = (this.#chunks.get(id)?.length ?? 0) / averageLength;
        scores.set(id, (scores.get(id) ?? 0) + weight * weighWord(count, relativeLength));
      }
    }
    return Array.from(scores, ([chunkId, score]) => ({ chunkId, score }));
  }
}
