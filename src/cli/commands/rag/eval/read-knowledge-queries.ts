import type { KnowledgeSearchOptions } from '../../../../knowledge/collection/search-collection.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { readItems, refuse } from '../../eval/read-lines.ts';
import { readNames, readQuery } from '../../eval/read-queries.ts';
import { parseNeed, type PassageNeed } from './passage-needs.ts';

/** A query with its expected passages. */
export interface KnowledgeEvalQuery {
  readonly query: string;
  /** Any passage of a group satisfies the need. */
  readonly needs: readonly (readonly PassageNeed[])[];
  /** Restricts the search, as a caller's arguments would. */
  readonly filter: Pick<KnowledgeSearchOptions, 'type' | 'sourcePath' | 'tags'>;
}

/** Reads queries with the expected passages from YAML, JSON or JSONL files. */
export function readKnowledgeQueries(files: readonly string[], cwd: string): KnowledgeEvalQuery[] {
  return files
    .flatMap((file) => readItems(file, { cwd, key: 'queries' }))
    .map((item) => {
      const { query, expected, groups } = readQuery(item, 'path');
      const needs = (groups ?? expected.map((one) => [one])).map((group) => group.map(parseNeed));
      if (needs.length === 0 || needs.some((need) => need.length === 0)) throw refuse(item.place, 'expects no passage');
      const { type, sourcePath, tags } = isPlainObject(item.value) ? item.value : {};
      if (type !== undefined && typeof type !== 'string') throw refuse(item.place, 'type must be a text');
      if (sourcePath !== undefined && typeof sourcePath !== 'string')
        throw refuse(item.place, 'sourcePath must be a text');
      const names = tags === undefined ? [] : readNames(tags);
      if (names === undefined) throw refuse(item.place, 'tags must be a text or a list of texts');
      return {
        query,
        needs,
        filter: {
          ...(type === undefined ? {} : { type }),
          ...(sourcePath === undefined ? {} : { sourcePath }),
          ...(names.length === 0 ? {} : { tags: names }),
        },
      };
    });
}
