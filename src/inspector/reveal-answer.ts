import { revealHidden } from '../tool/texts/reveal-hidden.ts';

/** What the page hands back, or draws as it is: names in it must stay what they are. */
const AS_THEY_ARE: ReadonlySet<string> = new Set([
  'inputSchema',
  'outputSchema',
  'schema',
  'input',
  'data',
  'mcpResult',
]);

/** What is sent to the page, hidden characters spelt out in every text that is for the eyes only. */
export function revealAnswer(value: unknown): unknown {
  if (typeof value === 'string') return revealHidden(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(revealAnswer);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, AS_THEY_ARE.has(key) ? item : revealAnswer(item)]),
  );
}
