import type { KnowledgeHit } from '../../../../knowledge/retrieval/knowledge-search.ts';

/** A passage that a query should find: a document, or the part of it with a heading or a line. */
export interface PassageNeed {
  /** As it was written: `guide/login.md`, `guide/login.md#Sessions`, `guide/login.md:12`. */
  readonly written: string;
  readonly path: string;
  readonly heading?: string;
  readonly line?: number;
}

/** Reads what a query expects. */
export function parseNeed(written: string): PassageNeed {
  const [, path = written, line, heading] = /^(.+?)(?::(\d+)|#(.+))?$/s.exec(written) ?? [];
  return {
    written,
    path,
    ...(line === undefined ? {} : { line: Number(line) }),
    ...(heading === undefined ? {} : { heading: heading.trim() }),
  };
}

/** Whether a hit is of the document that is meant; one that says the same in another place counts. */
export function isOfDocument(hit: KnowledgeHit, { path }: PassageNeed): boolean {
  if (hit.sourcePath === path || hit.documentId === path) return true;
  return hit.duplicates.some(({ sourcePath }) => sourcePath === path);
}

/** Whether a hit is the passage that is meant. */
export function satisfies(hit: KnowledgeHit, need: PassageNeed): boolean {
  if (!isOfDocument(hit, need)) return false;
  const { heading, line } = need;
  if (line !== undefined) return hit.lines !== undefined && hit.lines.from <= line && line <= hit.lines.to;
  return heading === undefined || hasHeading(hit, heading);
}

/** A heading stands above a passage, or in it as a line of its own. */
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
