import { placeUnit } from '../../knowledge/documents/document-format.ts';
import type { LineRange } from '../../knowledge/vector-store.ts';
import type { KnowledgeHit } from '../../knowledge/retrieval/knowledge-search.ts';

/** Formats search results for a model: ctx's format, with the lines and headings of each passage. */
export function formatHits(
  query: string,
  hits: readonly KnowledgeHit[],
  explain?: (hit: KnowledgeHit) => string,
): string {
  if (hits.length === 0) return `No results found for "${query}"`;
  const results = hits.map((hit, index) => `--- Result ${index + 1} ---\n${formatHit(hit, explain?.(hit))}`);
  return [`Found ${hits.length} result${hits.length === 1 ? '' : 's'} for "${query}"`, ...results].join('\n\n');
}

function formatHit(
  { score, type, sourcePath, lines, headings, text, note }: KnowledgeHit,
  explanation: string | undefined,
): string {
  const place = sourcePath === undefined ? [] : [formatPlace(sourcePath, lines)];
  const parts = [
    `[${score.toFixed(2)}] ${type}`,
    ...(note === undefined ? place : [formatNote(note), ...(sourcePath === undefined ? [] : [`about ${sourcePath}`])]),
  ];
  if (headings.length > 0) parts.push(headings.join(' > '));
  return [parts.join(' | '), ...(explanation === undefined ? [] : [explanation]), quoteRulers(text)].join('\n');
}

/** `stored note by ada, 2026-11-18`: not a document of the collection. */
function formatNote({ by, at }: NonNullable<KnowledgeHit['note']>): string {
  return `stored note${by === undefined ? '' : ` by ${by}`}${at === undefined ? '' : `, ${at.slice(0, 10)}`}`;
}

/** Keeps a text from imitating further results. */
function quoteRulers(text: string): string {
  return text.replaceAll(/^(?=--- Result \d+ ---)/gm, '> ');
}

/** `guide.md:3-7`, `slides.pptx (slide 2)`, `sales.xlsx (rows 2-40)`. */
function formatPlace(path: string, lines: KnowledgeHit['lines']): string {
  if (lines === undefined) return path;
  const unit = placeUnit(path);
  return unit === 'line' && !isWebPage(path)
    ? `${path}:${formatRange(lines)}`
    : `${path} (${formatUnits(unit, lines)})`;
}

/** `slide 2`, `rows 2-40`. */
function formatUnits(unit: string, lines: LineRange): string {
  return `${unit}${lines.from === lines.to ? '' : 's'} ${formatRange(lines)}`;
}

/** `12-18`, or `12` for one line. */
function formatRange({ from, to }: LineRange): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

/** Returns the facts for citing a passage: its source, the headings above it and its lines, if known. */
export function toCitation({ sourcePath: source, headings, lines, note }: KnowledgeHit): {
  path?: string;
  heading?: string;
  line?: string;
  place?: string;
  url?: string;
} {
  // A note's claim about its source proves nothing.
  const sourcePath = note === undefined ? source : undefined;
  const unit = sourcePath === undefined ? 'line' : placeUnit(sourcePath);
  return {
    ...(sourcePath === undefined ? {} : { path: sourcePath }),
    ...(headings.length === 0 ? {} : { heading: headings.join(' > ') }),
    ...(lines === undefined || sourcePath === undefined
      ? {}
      : unit === 'line'
        ? { line: formatRange(lines) }
        : { place: formatUnits(unit, lines) }),
    ...(sourcePath !== undefined && isWebPage(sourcePath) ? { url: toUrl(sourcePath, headings.at(-1)) } : {}),
  };
}

function isWebPage(path: string): boolean {
  return /^https?:\/\//.test(path);
}

/** Returns the address of a page with a text fragment for the heading. */
function toUrl(page: string, heading: string | undefined): string {
  // "-" and "," have a meaning in a text fragment.
  const text = encodeURIComponent(heading ?? '').replaceAll('-', '%2D');
  return text === '' ? page : `${page}#:~:text=${text}`;
}
