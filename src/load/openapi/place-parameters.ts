import type { JsonSchema } from '../../tool/json.ts';
import { type ArgumentList, listProperties } from './argument-list.ts';
import type { OperationParameter } from './collect-parameters.ts';
import type { SchemaConverter } from './convert-schema.ts';

/** The parts of a request that parameters fill. */
export interface PlacedParameters {
  /** The path with its placeholders. */
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: Record<string, string>;
  readonly cookies: string[];
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: 'spaces', pipeDelimited: '"|"' };

/** Makes an argument of each parameter and puts its placeholder where the API wants it. */
export function placeParameters(
  path: string,
  parameters: readonly OperationParameter[],
  tools: { readonly list: ArgumentList; readonly converter: SchemaConverter },
): PlacedParameters {
  const { list, converter } = tools;
  const inPath = new Map<string, string>();
  const placed = { query: {}, headers: {}, cookies: [] } as Omit<PlacedParameters, 'path'>;
  for (const parameter of parameters) {
    const { name, place, required, description } = parameter;
    const resolved = converter.resolve(parameter.schema);
    const properties = place === 'query' && isSpread(parameter) ? listProperties(resolved) : [];
    if (properties.length > 0) {
      for (const property of properties) {
        const key = parameter.style === 'deepObject' ? `${name}[${property.name}]` : property.name;
        const isRequired = required && property.required;
        placed.query[key] = list.add({ name: key, location: place, schema: property.schema, required: isRequired });
      }
      continue;
    }
    const joined = place === 'query' && isList(resolved) ? joinedBy(parameter) : undefined;
    const schema: JsonSchema = joined === undefined ? parameter.schema : { type: 'string' };
    const remark =
      joined === undefined ? description : `${description ?? ''} Several values are joined with ${joined}.`.trim();
    const placeholder = list.add({ name, location: place, schema, required, description: remark });
    if (place === 'query') placed.query[name] = placeholder;
    else if (place === 'header') placed.headers[name] = placeholder;
    else if (place === 'cookie') placed.cookies.push(`${name}=${placeholder}`);
    else inPath.set(name, withStyle(parameter, placeholder));
  }
  // A name in the path that nothing describes is an argument all the same.
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const known = inPath.get(name) ?? list.add({ name, location: 'path', schema: { type: 'string' }, required: true });
    inPath.set(name, known);
    return known;
  });
  return { path: filled, ...placed };
}

/** An object whose properties become entries of the query. */
function isSpread({ style, explode, isJson }: OperationParameter): boolean {
  return !isJson && (style === 'deepObject' || (style === 'form' && explode));
}

/** What the API wants between the items of a list; `undefined` where it wants the key repeated. */
function joinedBy({ style, explode, isJson }: OperationParameter): string | undefined {
  if (isJson || explode) return undefined;
  return SEPARATORS[style] ?? 'commas';
}

function withStyle({ name, style }: OperationParameter, placeholder: string): string {
  if (style === 'label') return `.${placeholder}`;
  return style === 'matrix' ? `;${name}=${placeholder}` : placeholder;
}

function isList({ type }: JsonSchema): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'));
}
