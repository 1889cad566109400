import { isPlainObject, type JsonSchema } from '../../core/json.ts';
import type { Tool } from '../../core/tool.ts';
import { readInputSchema } from '../indexed-tool.ts';
import { estimateTokens } from '../tokens/estimate-tokens.ts';
import { resolveReference } from './resolve-reference.ts';
import { type TypeStyle, writeFields, writeType } from './write-type.ts';

const FULL: TypeStyle = { depth: 6, values: 60 };
const BRIEF: readonly TypeStyle[] = [
  { depth: 2, values: 6 },
  { depth: 1, values: 4 },
  { depth: 0, values: 3 },
];

/** How to call a tool, whole: `git_log(path: string, limit?: integer = 20)`. */
export function writeSignature(tool: Tool): string {
  return `${tool.metadata.name}(${parametersOf(readInputSchema(tool), FULL).join(', ')})`;
}

/** How to call a tool within so many tokens: types are shortened first, then optional parameters are counted, not named. */
export function writeBriefSignature(tool: Tool, tokens: number): string {
  const { name } = tool.metadata;
  const schema = readInputSchema(tool);
  let written = '';
  for (const style of BRIEF) {
    written = `${name}(${parametersOf(schema, style).join(', ')})`;
    if (estimateTokens(written) <= tokens) return written;
  }
  return dropParameters(name, parametersOf(schema, { depth: 0, values: 3 }), tokens);
}

/** Optional parameters go first, from the last on; then types, then required ones. */
function dropParameters(name: string, parameters: readonly string[], tokens: number): string {
  const isOptional = (parameter: string): boolean => /^[^:]*\?:/.test(parameter);
  let left = parameters.map((text) => ({ text, isOptional: isOptional(text) }));
  const write = (): string => {
    const missing = parameters.length - left.length;
    return `${name}(${[...left.map(({ text }) => text), ...(missing > 0 ? [`…${missing} more`] : [])].join(', ')})`;
  };
  const fits = (): boolean => estimateTokens(write()) <= tokens;
  while (!fits() && left.some((one) => one.isOptional)) {
    left = left.toSpliced(
      left.findLastIndex((one) => one.isOptional),
      1,
    );
  }
  if (!fits()) left = left.map((one) => ({ ...one, text: one.text.replace(/^("(?:[^"\\]|\\.)*"|[^:]*):.*$/s, '$1') }));
  while (!fits() && left.length > 0) left = left.slice(0, -1);
  return write();
}

function parametersOf(schema: JsonSchema, style: TypeStyle): string[] {
  const { $ref } = schema;
  const target = typeof $ref === 'string' ? resolveReference($ref, schema) : schema;
  const root = isPlainObject(target) ? target : schema;
  const alternatives = root['anyOf'] ?? root['oneOf'];
  // A choice between several shapes is one argument list or the other.
  if (Array.isArray(alternatives) && alternatives.some((branch) => isPlainObject(branch) && 'properties' in branch)) {
    return [writeType(root, schema, { ...style, depth: Math.max(1, style.depth) })];
  }
  return writeFields(root, schema, style);
}
