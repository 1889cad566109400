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
  { score, type, sourcePath, lines, headings, text }: KnowledgeHit,
  explanation: string | undefined,
): string {
  const range = lines === undefined ? '' : lines.from === lines.to ? `:${lines.from}` : `:${lines.from}-${lines.to}`;
  const parts = [`[${score.toFixed(2)}] ${type}`, ...(sourcePath === undefined ? [] : [`${sourcePath}${range}`])];
  if (headings.length > 0) parts.push(headings.join(' > '));
  return [parts.join(' | '), ...(explanation === undefined ? [] : [explanation]), text].join('\n');
}
