import type { KnowledgeHit } from '../../../../knowledge/retrieval/knowledge-search.ts';

/** An expected passage: a document, or its part with a heading or a line. */
export interface PassageNeed {
  /** The original text: `guide/login.md`, `guide/login.md#Sessions`, `guide/login.md:12`. */
  readonly written: string;
  readonly path: string;
  readonly heading?: string;
  readonly line?: number;
}

/** Parses an expected passage. */
export function parseNeed(written: string): PassageNeed {
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
