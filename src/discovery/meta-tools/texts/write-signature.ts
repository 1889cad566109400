import type { ToolWords } from '../../../tool/server-words.ts';
import { rankParameters } from '../../../tool/parameters/rank-parameters.ts';
import { allParameters, readVariants } from '../../../tool/parameters/read-variants.ts';
import { readInputSchema } from '../../indexed-tool.ts';
import { estimateTokens } from '../../tokens/estimate-tokens.ts';
import { type TypeStyle, writeParameters } from './write-type.ts';

const FULL: TypeStyle = { depth: 6, values: 60 };
const BRIEF: readonly TypeStyle[] = [
  { depth: 2, values: 6 },
  { depth: 1, values: 4 },
  { depth: 0, values: 3 },
];

/** Writes the full signature of a tool: `git_log(path: string, limit?: integer = 20)`. */
export function writeSignature(tool: ToolWords): string {
  return `${tool.metadata.name}(${writeParameters(readInputSchema(tool), FULL).join(', ')})`;
}

/**
 * Writes the signature of a tool within a number of tokens: shortens types first, then counts optional parameters
 * instead of naming them. Of very many, it keeps those that `wanted`, a query, and the examples make likely.
 */
export function writeBriefSignature(tool: ToolWords, tokens: number, wanted?: string): string {
  const { name } = tool.metadata;
  const schema = readInputSchema(tool);
  let written = '';
  for (const style of BRIEF) {
    written = `${name}(${writeParameters(schema, style).join(', ')})`;
    if (estimateTokens(written) <= tokens) return written;
  }
  const parameters = writeParameters(schema, { depth: 0, values: 3 });
  return dropParameters(name, orderByUse(tool, parameters, wanted), tokens);
}

/** Orders written parameters by the likelihood that a call uses them. */
function orderByUse(tool: ToolWords, written: readonly string[], wanted: string | undefined): readonly string[] {
  const all = allParameters(readVariants(readInputSchema(tool)));
  // Alternative sets of parameters are one text.
  if (written.length < all.length) return written;
  const texts = new Map(all.map((parameter, place) => [parameter, written[place] ?? '']));
  const ranked = rankParameters(all, { examples: tool.metadata.examples, wanted });
  return [...ranked.map((parameter) => texts.get(parameter) ?? ''), ...written.slice(all.length)];
}

/** Drops optional parameters first, starting with the last; then types, then required ones. */
function dropParameters(name: string, parameters: readonly string[], tokens: number): string {
  const isOptional = (parameter: string): boolean => /^[^:]*\?:/.test(parameter);
  let left = parameters.map((text) => ({ text, isOptional: isOptional(text) }));
  const write = (): string => {
    const missing = parameters.length - left.length;
    return `${name}(${[...left.map(({ text }) => text), ...(missing > 0 ? [`…${missing} more`] : [])].join(', ')})`;
  };
  const fits = (): boolean => estimateTokens(write()) <= tokens;
  while (!fits() && left.some((one) => one.isOptional)) {
    const last = left.findLastIndex((one) => one.isOptional);
    left = left.toSpliced(last, 1);
  }
  if (!fits()) left = left.map((one) => ({ ...one, text: one.text.replace(/^("(?:[^"\\]|\\.)*"|[^:]*):.*$/s, '$1') }));
  while (!fits() && left.length > 0) left = left.slice(0, -1);
  return write();
}
