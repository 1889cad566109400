import { rankParameters } from '../../../tool/parameters/rank-parameters.ts';
import { allParameters, type Parameter, readVariants } from '../../../tool/parameters/read-variants.ts';
import type { ToolWords } from '../../../tool/server-words.ts';
import { readInputSchema } from '../../indexed-tool.ts';
import { writeParameters } from './write-type.ts';

/** With more parameters, a description lists most of them only by type. */
const MANY = 40;
/** Parameters that are still described. */
const SOME = 12;

/** Returns true if a tool has so many parameters that a text with all of them would be mostly irrelevant to a call. */
export function hasManyParameters(tool: ToolWords): boolean {
  return parametersOf(tool).length > MANY;
}

function parametersOf(tool: ToolWords): readonly Parameter[] {
  return allParameters(readVariants(readInputSchema(tool)));
}

/** Finds the parameters with one of these names, or one of these words in their name or description. */
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

/** Selects the parameters to describe if there are very many: required ones, and those a call most likely uses. */
export function chooseParameters(tool: ToolWords): ReadonlySet<string> {
  const { required } = readInputSchema(tool);
  const needed = Array.isArray(required) ? required.map(String) : [];
  const likely = rankParameters(parametersOf(tool), { examples: tool.metadata.examples }).map(({ name }) => name);
  return new Set([...needed, ...likely.slice(0, SOME)]);
}

/** Lists every other parameter by type: `boolean: quiet, source; string: since, until`. */
export function listFurther(tool: ToolWords, described: ReadonlySet<string>): string {
  const types = new Map<string, string[]>();
  for (const written of writeParameters(readInputSchema(tool), { depth: 1, values: 8 })) {
    const [, name = '', type = ''] = /^([^:?]+)\??: (.*)$/s.exec(written) ?? [];
    if (name !== '' && !described.has(name)) types.set(type, [...(types.get(type) ?? []), name]);
  }
  const lists = [...types].toSorted(([, a], [, b]) => b.length - a.length);
  return lists.map(([type, names]) => `${type}: ${names.join(', ')}`).join('; ');
}
