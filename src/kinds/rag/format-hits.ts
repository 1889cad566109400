import { placeUnit } from '../../knowledge/documents/document-format.ts';
import type { LineRange } from '../../knowledge/vector-store.ts';
import type { KnowledgeHit } from '../../knowledge/retrieval/knowledge-search.ts';

/** Search results as a model reads them: ctx's form, with the lines and headings of each passage. */
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

/** `stored note by ada, 2026-11-18`: no document of the collection. */
function formatNote({ by, at }: NonNullable<KnowledgeHit['note']>): string {
  return `stored note${by === undefined ? '' : ` by ${by}`}${at === undefined ? '' : `, ${at.slice(0, 10)}`}`;
}

/** Keeps a text from posing as further results. */
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

/** What is needed to cite a passage: its source, the headings above it and its lines, as far as they are known. */
export function toCitation({ sourcePath: source, headings, lines, note }: KnowledgeHit): {
  path?: string;
  heading?: string;
  line?: string;
  place?: string;
  url?: string;
} {
  // A note is not what it says it is about.
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

/** The address of a page with the heading that a browser goes to. */
function toUrl(page: string, heading: string | undefined): string {
  // In this part of an address "-" and "," mean something.
  const text = encodeURIComponent(heading ?? '').replaceAll('-', '%2D');
  return text === '' ? page : `${page}#:~:text=${text}`;
}
