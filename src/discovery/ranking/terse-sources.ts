import type { ToolText } from '../read-tool-text.ts';

/** A source with this many one-word tools has a tool for every word that people use. */
const MANY = 60;

/** The most words of a tool with hardly more than its one-word name. */
const MOST_WORDS = 3;

/** A word that this share of a source's tools have says nothing about one of them: `The best mail tool`, `The best song tool`. */
const PATTERN = 0.25;

/** Words of a description that are read. */
const LONGEST = 40;

/** The tools of a source with names of one word. */
interface OneWordTools {
  /** The distinct stems of each tool's text, by number. */
  readonly words: Map<number, readonly string[]>;
  /** The number of tools with each stem. */
  readonly counts: Map<string, number>;
  /** The tools with hardly more than their name; `undefined` after a change. */
  terse: ReadonlySet<number> | undefined;
}

/** Finds tools with hardly more than one word, and counts them for each source. */
export class TerseSources {
  readonly #sources = new Map<string, OneWordTools>();
  /** The sources of tools with a one-word name, by the tools' numbers. */
  readonly #sourceOf = new Map<number, OneWordTools>();

  put(slot: number, source: string, { name, description, details }: ToolText): void {
    if (new Set(name).size !== 1) return;
    const stems = [...name, ...description.slice(0, LONGEST), ...details.slice(0, LONGEST)].map(({ stem }) => stem);
    let tools = this.#sources.get(source);
    if (tools === undefined)
      this.#sources.set(source, (tools = { words: new Map(), counts: new Map(), terse: undefined }));
    const words = [...new Set(stems)];
    tools.words.set(slot, words);
    this.#sourceOf.set(slot, tools);
    count(tools, words, 1);
  }

  remove(slot: number): void {
    const tools = this.#sourceOf.get(slot);
    if (tools === undefined) return;
    count(tools, tools.words.get(slot) ?? [], -1);
    tools.words.delete(slot);
    this.#sourceOf.delete(slot);
  }

  /** Returns true if a tool is one of very many of its source with hardly more than one word. */
  isOneOfMany(slot: number): boolean {
    const tools = this.#sourceOf.get(slot);
    if (tools === undefined || tools.words.size < MANY) return false;
    const terse = (tools.terse ??= findTerse(tools));
    return terse.size >= MANY && terse.has(slot);
  }
}

function count(tools: OneWordTools, words: readonly string[], change: number): void {
  tools.terse = undefined;
  for (const word of words) {
    const next = (tools.counts.get(word) ?? 0) + change;
    if (next === 0) tools.counts.delete(word);
    else tools.counts.set(word, next);
  }
}

function findTerse({ words, counts }: OneWordTools): ReadonlySet<number> {
  const most = PATTERN * words.size;
  const terse = new Set<number>();
  for (const [slot, own] of words) {
    let telling = 0;
    for (const word of own) if ((counts.get(word) ?? 0) < most && ++telling > MOST_WORDS) break;
    if (telling <= MOST_WORDS) terse.add(slot);
  }
  return terse;
}
