import { sourceOf } from '../tool/tool-metadata.ts';
import { type IndexedTool, readInputSchema } from './indexed-tool.ts';
import type { Field } from './ranking/ranking-weights.ts';
import { TOOL_STOP_WORDS } from '../text/stop-words.ts';
import type { Word, WordReader } from '../text/word-reader.ts';
import { isPlainObject, type JsonSchema } from '../tool/json.ts';
import { fixedValues, readVariants } from '../tool/parameters/read-variants.ts';
import { createReferenceFinder, type FindReference, type SchemaNode } from '../tool/parameters/schema-node.ts';

const LONGEST_FIELD = 20_000;

/** The words of a tool, by field. */
export type ToolText = Readonly<Record<Field, readonly Word[]>>;

/** Reads all fields of a ranked search. The words of a tool do not depend on the rest of the board. */
export function readToolText(indexed: IndexedTool, reader: WordReader): ToolText {
  const { metadata } = indexed.tool;
  const parameters = readParameters(readInputSchema(indexed.tool));
  const [first, rest] = splitDescription(metadata.description);
  const read = (...texts: readonly (string | undefined)[]): Word[] =>
    reader.read(texts.join('\n').slice(0, LONGEST_FIELD));
  const text = {
    description: read(metadata.displayName, first),
    details: read(rest),
    parameters: read(...parameters.names),
    options: distinct(read(...parameters.options)),
    parameterDescriptions: read(...parameters.descriptions),
    values: read(...parameters.values),
    tags: read(...indexed.tags, ...(metadata.aliases ?? [])),
    category: read(indexed.category ?? ''),
    source: read(metadata.source === undefined && indexed.source === sourceOf(metadata) ? '' : indexed.source),
    sourceDescription: read(indexed.sourceDescription),
    examples: read(...(metadata.examples ?? []).map(({ description }) => description), ...(metadata.utterances ?? [])),
    learned: read(...(indexed.learned ?? [])),
    notes: read(metadata.usageNotes),
  };
  return { ...text, name: readName(indexed.name, text, reader) };
}

/** Returns each word once: a hundred flags about commits say no more about a tool than one. */
function distinct(words: readonly Word[]): Word[] {
  return [...new Set(words)];
}

/** Splits off the first sentence, which says what the tool does; the rest says when and how. */
function splitDescription(description: string): [first: string, rest: string] {
  const end = /[.!?](?=\s)|\n/.exec(description);
  return end === null ? [description, ''] : [description.slice(0, end.index + 1), description.slice(end.index + 1)];
}

function readName(name: string, text: Omit<ToolText, 'name'>, reader: WordReader): Word[] {
  // Every word of a name counts, so `FinanceTool` must not count as a third one.
  const words = reader.read(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' '));
  const fields = [text.description, text.details, text.parameters, text.parameterDescriptions];
  // A word that the tool uses elsewhere is one word; most names have no others and need no set of all words.
  const glued = words.filter((word) => word.word.length >= SHORTEST_GLUED && !fields.some((own) => own.includes(word)));
  if (glued.length === 0) return words;
  const own = new Set(fields.flatMap((field) => field.map(({ word }) => word)));
  for (const part of glued.flatMap(({ word }) => segmentWord(word, own))) {
    if (!TOOL_STOP_WORDS.has(part)) words.push(reader.toWord(part));
  }
  return words;
}

const DEEPEST = 4;
const MOST = 400;
/** A tool with more parameters has options, which say how it does something rather than what. */
const MANY = 16;

/** The texts of a tool's input schema. */
interface ParameterText {
  readonly names: string[];
  readonly descriptions: string[];
  /** Values of enumerations that are words. */
  readonly values: string[];
  /** The texts of optional parameters, if a tool has very many. */
  readonly options: string[];
}

/** Collects names, descriptions and values of parameters, including variants and nested ones, within limits. */
export function readParameters(schema: JsonSchema): ParameterText {
  const text: ParameterText = { names: [], descriptions: [], values: [], options: [] };
  const find = createReferenceFinder(schema);
  const { properties, required } = schema;
  if (!isPlainObject(properties) || Object.keys(properties).length <= MANY) {
    collect(schema, { text, find, depth: 0 });
    return text;
  }
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const [own, further] = [true, false].map((isNeeded) => {
    const chosen = Object.entries(properties).filter(([name]) => needed.has(name) === isNeeded);
    return { ...schema, properties: Object.fromEntries(chosen) };
  });
  const options: ParameterText = { names: [], descriptions: [], values: [], options: [] };
  if (own !== undefined) collect(own, { text, find, depth: 0 });
  if (further !== undefined) collect(further, { text: options, find, depth: 0 });
  text.options.push(...options.names, ...options.descriptions, ...options.values);
  return text;
}

interface Collection {
  readonly text: ParameterText;
  readonly find: FindReference;
  readonly depth: number;
}

function collect(schema: SchemaNode, { text, find, depth }: Collection): void {
  if (depth > DEEPEST) return;
  const inner = { text, find, depth: depth + 1 };
  const { items } = schema;
  if (isPlainObject(items)) collect(items, inner);
  const seen = new Set<string>();
  for (const { parameters } of readVariants(schema, find)) {
    for (const { name, schema: property } of parameters) {
      if (text.names.length >= MOST) return;
      // A name that several variants share counts once; their descriptions may differ.
      if (!seen.has(name)) text.names.push(name);
      const { description } = property;
      if (typeof description === 'string' && (!seen.has(name) || !text.descriptions.includes(description)))
        text.descriptions.push(description);
      seen.add(name);
      for (const value of fixedValues(property) ?? []) {
        if (typeof value === 'string' && !text.values.includes(value)) text.values.push(value);
      }
      collect(property, inner);
    }
  }
}

/** Shorter words are not split. */
const SHORTEST_GLUED = 7;
const MOST_PARTS = 5;
const COMMON = new Set(
  `get set put post add all any by of to in on for from with is id ids list find search check create update delete
  remove fetch make show live latest top new data info details number numbers name names count value values max min sum
  user users api convert calculate generate send read write open close start stop`.split(/\s+/),
);

/**
 * Splits a word without separators, such as `getcountriesbycontinent`, into common verbs and words the tool uses
 * elsewhere. Returns an empty list if that fails.
 */
export function segmentWord(word: string, known: ReadonlySet<string>): string[] {
  if (word.length < SHORTEST_GLUED || known.has(word)) return [];
  // The split with the fewest parts that ends at each position. The tool's own words are preferred.
  const best: ({ readonly cost: number; readonly parts: readonly string[] } | undefined)[] = [{ cost: 0, parts: [] }];
  for (let end = 2; end <= word.length; end++) {
    for (let start = 0; start <= end - 2; start++) {
      const before = best[start];
      if (before === undefined || before.parts.length === MOST_PARTS) continue;
      const part = word.slice(start, end);
      const isOwn = part.length > 2 && known.has(part);
      if (!isOwn && !COMMON.has(part)) continue;
      const cost = before.cost + (isOwn ? 3 : 4);
      if (cost < (best[end]?.cost ?? Infinity)) best[end] = { cost, parts: [...before.parts, part] };
    }
  }
  const parts = best[word.length]?.parts ?? [];
  return parts.length > 1 ? [...parts] : [];
}
