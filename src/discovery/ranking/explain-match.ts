import type { IndexedTool } from '../indexed-tool.ts';
import type { WordMatch } from '../ranked-result.ts';
import { readToolText } from '../read-tool-text.ts';
import { type Field, FIELDS } from './ranking-weights.ts';
import type { QueryReading } from './query-reading.ts';
import { readQuery } from './read-query.ts';

/** Tells which words of a query a tool has, in which fields and in which form. */
export function explainMatch(query: string, indexed: IndexedTool, reading: QueryReading): WordMatch[] {
  const text = readToolText(indexed, reading.reader);
  const fieldsOf = (stem: string): Field[] => FIELDS.filter((field) => text[field].some((word) => word.stem === stem));
  return readQuery(query, reading).terms.flatMap(({ word, stem, term, alternatives }): WordMatch[] => {
    const own = term === undefined ? [] : fieldsOf(stem);
    if (own.length > 0) return [{ word, fields: own }];
    for (const alternative of alternatives.toSorted((a, b) => b.factor - a.factor)) {
      const list = reading.index.lists[alternative.term];
      const fields = list === undefined ? [] : fieldsOf(list.stem);
      if (list !== undefined && fields.length > 0) return [{ word, as: list.word, fields }];
    }
    return [];
  });
}
