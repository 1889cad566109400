import type { KnowledgeSearchOptions } from '../../../../knowledge/retrieval/search-knowledge.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import { readItems, refuse, readNames, readQuery } from '../../../../cli/shared/evaluation/read-queries.ts';
import type { KnowledgeHit } from '../../../../knowledge/retrieval/knowledge-search.ts';

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

/** An expected passage: a document, or its part with a heading or a line. */
export interface PassageNeed {
  /** The original text: `guide/login.md`, `guide/login.md#Sessions`, `guide/login.md:12`. */
  readonly written: string;
  readonly path: string;
  readonly heading?: string;
  readonly line?: number;
}

/** Parses an expected passage. */
function parseNeed(written: string): PassageNeed {
  const [, path = written, line, heading] = /^(.+?)(?::(\d+)|#(.+))?$/s.exec(written) ?? [];
  return {
    written,
    path,
    ...(line === undefined ? {} : { line: Number(line) }),
    ...(heading === undefined ? {} : { heading: heading.trim() }),
  };
}

/** Returns true when a hit is in the expected document, or in one with the same passage. */
export function isOfDocument(hit: KnowledgeHit, { path }: PassageNeed): boolean {
  if (hit.sourcePath === path || hit.documentId === path) return true;
  return hit.duplicates.some(({ sourcePath }) => sourcePath === path);
}

/** Returns true when a hit is the expected passage. */
export function satisfies(hit: KnowledgeHit, need: PassageNeed): boolean {
  if (!isOfDocument(hit, need)) return false;
  const { heading, line } = need;
  if (line !== undefined) return hit.lines !== undefined && hit.lines.from <= line && line <= hit.lines.to;
  return heading === undefined || hasHeading(hit, heading);
}

/** Returns true when a heading is above a passage, or a line in it. */
export function hasHeading({ headings, text }: Pick<KnowledgeHit, 'headings' | 'text'>, heading: string): boolean {
  const wanted = heading.toLowerCase();
  if (headings.some((one) => one.toLowerCase() === wanted)) return true;
  return text.split('\n').some(
    (line) =>
      /^#{1,6}\s/.test(line) &&
      line
        .replace(/^#+\s+/, '')
        .trim()
        .toLowerCase() === wanted,
  );
}
