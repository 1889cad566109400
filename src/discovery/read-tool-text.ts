import { sourceOf } from '../tool/tool-metadata.ts';
import type { IndexedTool } from './indexed-tool.ts';
import { readInputSchema } from './indexed-tool.ts';
import type { Field } from './ranking/ranking-weights.ts';
import { readParameters } from './read-parameters.ts';
import { segmentWord, SHORTEST_GLUED } from '../text/segment-word.ts';
import { TOOL_STOP_WORDS } from '../text/stop-words.ts';
import type { Word, WordReader } from '../text/word-reader.ts';

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
