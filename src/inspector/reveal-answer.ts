import { revealHidden } from '../tool/texts/reveal-hidden.ts';

/** Keys whose values the page sends back or renders itself, so that they must stay unchanged. */
const AS_THEY_ARE: ReadonlySet<string> = new Set([
  'inputSchema',
  'outputSchema',
  'schema',
  'input',
  'data',
  'mcpResult',
]);

/** Escapes hidden characters in all texts that are only displayed. */
export function revealAnswer(value: unknown): unknown {
  if (typeof value === 'string') return revealHidden(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(revealAnswer);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, AS_THEY_ARE.has(key) ? item : revealAnswer(item)]),
  );
}
