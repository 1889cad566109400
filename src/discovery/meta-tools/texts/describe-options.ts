import { rankParameters } from '../../../tool/parameters/rank-parameters.ts';
import { allParameters, type Parameter, readVariants } from '../../../tool/parameters/read-variants.ts';
import type { ToolWords } from '../../../tool/server-words.ts';
import { readInputSchema } from '../../indexed-tool.ts';
import { writeParameters } from './write-type.ts';

/** With more parameters than this, a description says of most only what type they have. */
const MANY = 40;
/** Parameters that are described all the same. */
const SOME = 12;

/** Whether a tool has so many parameters that a text with all of them would be mostly about what no call needs. */
export function hasManyParameters(tool: ToolWords): boolean {
  return parametersOf(tool).length > MANY;
}

function parametersOf(tool: ToolWords): readonly Parameter[] {
  return allParameters(readVariants(readInputSchema(tool)));
}

/** The parameters that have one of these names, or one of these words in their name or description. */
export function findParameters(tool: ToolWords, wanted: readonly string[]): ReadonlySet<string> {
  const words = wanted.map((word) => word.toLowerCase().replaceAll('-', '_').replaceAll(/^_+/g, ''));
  const all = parametersOf(tool);
  const exact = all.filter(({ name }) => words.includes(name.toLowerCase()));
  if (exact.length >= words.length) return new Set(exact.map(({ name }) => name));
  const has = ({ name, schema }: Parameter): boolean => {
    const text = `${name} ${typeof schema['description'] === 'string' ? schema['description'] : ''}`.toLowerCase();
    return words.some((word) => text.includes(word));
  };
  return new Set([...exact, ...all.filter(has)].map(({ name }) => name));
}

/** Of very many parameters, those to describe: what a call needs, and what it most likely gives. */
export function chooseParameters(tool: ToolWords): ReadonlySet<string> {
  const { required } = readInputSchema(tool);
  const needed = Array.isArray(required) ? required.map(String) : [];
  const likely = rankParameters(parametersOf(tool), { examples: tool.metadata.examples }).map(({ name }) => name);
  return new Set([...needed, ...likely.slice(0, SOME)]);
}

/** `boolean: quiet, source; string: since, until`: every other parameter, by its type. */
export function listFurther(tool: ToolWords, described: ReadonlySet<string>): string {
  const types = new Map<string, string[]>();
  for (const written of writeParameters(readInputSchema(tool), { depth: 1, values: 8 })) {
    const [, name = '', type = ''] = /^([^:?]+)\??: (.*)$/s.exec(written) ?? [];
    if (name !== '' && !described.has(name)) types.set(type, [...(types.get(type) ?? []), name]);
  }
  const lists = [...types].toSorted(([, a], [, b]) => b.length - a.length);
  return lists.map(([type, names]) => `${type}: ${names.join(', ')}`).join('; ');
}
