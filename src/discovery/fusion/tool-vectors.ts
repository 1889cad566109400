import { messageOf } from '../../tool/texts/message-of.ts';
import type { Embedder } from '../../vectors/embedder.ts';
import type { VectorTable } from '../../vectors/packed-rows.ts';
import { type IndexedTool, readInputSchema } from '../indexed-tool.ts';
import { pickBest } from '../ranking/score-sheet.ts';
import { readParameters } from '../read-tool-text.ts';

/** Tools embedded at once: few, so that little is lost when the work stops. */
const BATCH = 64;
/** Milliseconds before a failed embedder is used again. */
const RETRY_AFTER = 30_000;
const LONGEST = 2_000;

/** Keeps a vector for each tool, computed in the background from the first search on. */
export class ToolVectors {
  readonly #embedder: Embedder;
  readonly #now: () => number;
  readonly #waiting = new Map<string, IndexedTool>();
  /** Tools with learned queries that their vectors do not include yet. */
  readonly #learning = new Map<string, IndexedTool>();
  readonly #slots = new Map<string, number>();
  readonly #tools: (IndexedTool | undefined)[] = [];
  readonly #free: number[] = [];
  #table: VectorTable | undefined;
  #work: Promise<void> | undefined;
  #failure: { readonly message: string; readonly at: number } | undefined;
  #isClosed = false;

  constructor(embedder: Embedder, now: () => number = () => performance.now()) {
    this.#embedder = embedder;
    this.#now = now;
  }

  /** The reason that the embedder failed; `undefined` while it works. */
  get failure(): string | undefined {
    return this.#failure?.message;
  }

  /** The number of tools without a vector. */
  get missing(): number {
    return this.#waiting.size;
  }

  put(tool: IndexedTool): void {
    this.#drop(tool.name);
    this.#waiting.set(tool.name, tool);
    this.#learning.delete(tool.name);
    if (tool.learned !== undefined) this.#learning.set(tool.name, tool);
    // After the first search, changed tools are embedded immediately.
    if (this.#table !== undefined) void this.prepare();
  }

  /** Updates a tool that has learned. It keeps its vector until the new one is computed. */
  learn(tool: IndexedTool): void {
    if (this.#waiting.has(tool.name)) return this.put(tool);
    const slot = this.#slots.get(tool.name);
    if (slot !== undefined) this.#tools[slot] = tool;
    this.#learning.set(tool.name, tool);
    if (this.#table !== undefined) void this.prepare();
  }

  remove(name: string): void {
    this.#waiting.delete(name);
    this.#learning.delete(name);
    this.#drop(name);
  }

  clear(): void {
    for (const name of [...this.#waiting.keys(), ...this.#slots.keys()]) this.remove(name);
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
    this.#learning.clear();
  }

  /** Computes missing vectors. Never rejects; see `failure`. */
  prepare(): Promise<void> {
    this.#work ??= this.#run().finally(() => (this.#work = undefined));
    return this.#work;
  }

  /** Embeds a query and its needs. Returns `undefined` if the embedder fails. */
  async embedQuery(
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Float32Array[] | undefined> {
    // A search must not wait for each attempt to reach a server that is down.
    if (this.#hasJustFailed()) return undefined;
    try {
      const vectors = await this.#embedder.embed(texts, { as: 'query', ...(signal && { signal }) });
      this.#failure = undefined;
      return vectors;
    } catch (error) {
      if (signal?.aborted === true) throw error;
      this.#fail(error);
      return undefined;
    }
  }

  /** Compares every tool with a query and its needs. Returns `undefined` if there are no vectors yet. */
  compare(query: Float32Array, needs: readonly MeantPart[] = []): Closeness | undefined {
    const table = this.#table;
    const [slots, tools] = [this.#slots, this.#tools];
    if (table === undefined || slots.size === 0) return undefined;
    const cosines = table.multiply(query);
    const scale = (products: Float32Array): Float32Array => toSimilarities(products, slots.values());
    const similarities = joinSimilarities(
      scale(cosines),
      needs.map(({ vector, weight }) => scale(table.multiply(vector)).map((similarity) => weight * similarity)),
    );
    const passing = (passes: ToolTest): Int32Array =>
      Int32Array.from(slots.values()).filter((slot) => {
        const tool = tools[slot];
        return tool !== undefined && passes?.(tool) !== false;
      });
    return {
      size: slots.size,
      of: (name) => {
        const slot = slots.get(name);
        return slot === undefined ? undefined : similarities[slot];
      },
      highest: (passes) => passing(passes).reduce((highest, slot) => Math.max(highest, cosines[slot] ?? 0), 0),
      nearest: (count, passes) =>
        pickBest(similarities, passing(passes), count)
          .flatMap(({ slot, score }): NearTool[] => {
            const tool = tools[slot];
            return tool === undefined ? [] : [{ tool, similarity: score }];
          })
          .toSorted((a, b) => b.similarity - a.similarity || a.tool.order - b.tool.order),
    };
  }

  async #run(): Promise<void> {
    if (this.#hasJustFailed()) return;
    // A reload changes many tools at once.
    await Promise.resolve();
    try {
      while (this.#waiting.size > 0 && !this.#isClosed) await this.#embedSome();
      while (this.#learning.size > 0 && !this.#isClosed) await this.#learnSome();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #embedSome(): Promise<void> {
    const batch = Array.from(this.#waiting.values()).slice(0, BATCH);
    const vectors = await this.#embedder.embed(batch.map(toolEmbeddingText), { as: 'document' });
    this.#table ??= await createTable(vectors);
    for (const [place, tool] of batch.entries()) this.#keep(tool, vectors[place]);
    this.#failure = undefined;
  }

  /** Moves the vectors of tools towards the queries that led to them. */
  async #learnSome(): Promise<void> {
    const batch = Array.from(this.#learning.values()).slice(0, BATCH / 8);
    const asked = batch.flatMap(({ learned = [] }) => learned);
    const own = await this.#embedder.embed(batch.map(toolEmbeddingText), { as: 'document' });
    const queries = asked.length === 0 ? [] : await this.#embedder.embed(asked, { as: 'query' });
    let first = 0;
    for (const [place, tool] of batch.entries()) {
      const theirs = queries.slice(first, (first += tool.learned?.length ?? 0));
      this.#move(tool, own[place], theirs);
    }
  }

  #move(tool: IndexedTool, own: Float32Array | undefined, queries: readonly Float32Array[]): void {
    // It may have learned more, changed or been removed meanwhile.
    if (this.#learning.get(tool.name) !== tool) return;
    this.#learning.delete(tool.name);
    const slot = this.#slots.get(tool.name);
    if (own !== undefined && slot !== undefined) this.#table?.set(slot, joinLearned(own, queries));
  }

  #keep(tool: IndexedTool, vector: Float32Array | undefined): void {
    // It may have changed or been removed while it was embedded.
    if (vector === undefined || this.#table === undefined || this.#waiting.get(tool.name) !== tool) return;
    this.#waiting.delete(tool.name);
    const slot = this.#free.pop() ?? this.#tools.length;
    this.#tools[slot] = tool;
    this.#slots.set(tool.name, slot);
    this.#table.set(slot, vector);
  }

  #drop(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#slots.delete(name);
    this.#tools[slot] = undefined;
    this.#table?.clear(slot);
    this.#free.push(slot);
  }

  #hasJustFailed(): boolean {
    return this.#failure !== undefined && this.#now() - this.#failure.at < RETRY_AFTER;
  }

  #fail(error: unknown): void {
    this.#failure = { message: messageOf(error), at: this.#now() };
  }
}

/** Creates the table; its kernel is loaded with the first vectors. */
async function createTable(vectors: readonly Float32Array[]): Promise<VectorTable | undefined> {
  const { VectorTable } = await import('../../vectors/packed-rows.ts');
  const [first] = vectors;
  return first === undefined ? undefined : new VectorTable(first.length);
}

/** Returns the text to embed for a tool: its name as words, description, names of parameters, utterances. */
function toolEmbeddingText({ name, tool }: IndexedTool): string {
  const { description, utterances = [] } = tool.metadata;
  const parameters = readParameters(readInputSchema(tool)).names.map(toWords).join(', ');
  return [`${toWords(name)}: ${description}`, parameters, ...utterances].join(' ').slice(0, LONGEST).trim();
}

/** Splits a name: `getUserName` and `get_user_name` → `get user name`. */
function toWords(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .replaceAll(/[_.-]+/g, ' ')
    .toLowerCase();
}

/** The weight of each learned query beside the tool's own text. */
const LEARNED = 0.3;
/** A query this far from the tool and its other queries counts nothing: it led there by mistake. */
const ALONE = 0.2;
/** From this much more on it counts fully. */
const AGREED = 0.3;

/**
 * Moves the vector of a tool towards the queries that found it, and scales it to length 1.
 *
 * A query counts by its nearness to the tool or to another of its queries, so that one wrong call changes little.
 */
function joinLearned(own: Float32Array, queries: readonly Float32Array[]): Float32Array {
  if (queries.length === 0) return own;
  const joined = own.map((number) => number / lengthOf(own));
  for (const query of queries) {
    const others = queries.filter((other) => other !== query);
    const nearest = Math.max(...[own, ...others].map((other) => cosine(query, other)));
    const weight = (LEARNED * Math.max(0, Math.min(1, (nearest - ALONE) / AGREED))) / lengthOf(query);
    for (let place = 0; place < joined.length; place++)
      joined[place] = (joined[place] ?? 0) + weight * (query[place] ?? 0);
  }
  const length = lengthOf(joined);
  return joined.map((number) => number / length);
}

function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let place = 0; place < one.length; place++) sum += (one[place] ?? 0) * (other[place] ?? 0);
  return sum / (lengthOf(one) * lengthOf(other));
}

/** Returns the length of a vector, or 1 for a zero vector, which has no direction. */
function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const number of vector) squares += number * number;
  return Math.sqrt(squares) || 1;
}

/** Selects tools. Default: all. */
type ToolTest = ((tool: IndexedTool) => boolean) | undefined;

/** The similarity of each tool to a query: 0 for the average tool, 1 for the same meaning, negative for more distant ones. */
export interface Closeness {
  /** Returns the similarity of a tool, or `undefined` if it has no vector. */
  of(name: string): number | undefined;
  readonly size: number;
  /** Returns the cosine of the query and the closest tool that passes, not scaled by the rest of the board. */
  highest(passes: ToolTest): number;
  /** Returns the closest tools that pass, closest first. */
  nearest(count: number, passes: ToolTest): NearTool[];
}

interface NearTool {
  readonly tool: IndexedTool;
  readonly similarity: number;
}

/** The vector of a query or of one of its needs, and its weight: 0 to 1. */
interface MeantPart {
  readonly vector: Float32Array;
  readonly weight: number;
}

/** On a board with few tools the average does not represent tools that do not fit. */
const FEW = 8;
const USUAL_AVERAGE = 0.1;
/** The weight of the best need beside the whole query. */
const NEEDS = 0.5;

/** Scales cosines, whose range depends on model and query: 0 for the average tool, 1 for the same meaning. */
function toSimilarities(cosines: Float32Array, slots: Iterable<number>): Float32Array {
  let [sum, count] = [0, 0];
  for (const slot of slots) {
    sum += cosines[slot] ?? 0;
    count++;
  }
  const mean = count === 0 ? 0 : sum / count;
  const average = count < FEW ? Math.min(USUAL_AVERAGE, mean) : mean;
  const room = Math.max(0.05, 1 - average);
  return cosines.map((cosine) => (cosine - average) / room);
}

/** Combines the similarities of tools to a whole query and to each of its needs, of which the best counts. */
function joinSimilarities(whole: Float32Array, needs: readonly Float32Array[]): Float32Array {
  if (needs.length === 0) return whole;
  return whole.map((similarity, slot) => {
    let best = 0;
    for (const need of needs) best = Math.max(best, need[slot] ?? 0);
    return (1 - NEEDS) * similarity + NEEDS * best;
  });
}
