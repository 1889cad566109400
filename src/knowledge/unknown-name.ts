import { nearestNames } from '../tool/texts/suggest.ts';

/** `unknown server "x". Did you mean "y"? Use one of: …` */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  const [near] = nearestNames(name, known);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  const names = known.length === 0 ? 'There is none: add it under rag.' : `Use one of: ${known.join(', ')}.`;
  return `unknown ${what} "${name.slice(0, 80)}".${hint} ${names}`;
}
