import type { EntryStyle } from '../../platform/http/template/template.ts';
import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import { type ArgumentList, isFixedObject, listProperties } from './argument-list.ts';
import type { SchemaConverter } from './convert-schema.ts';
import { readExamples } from './read-examples.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';

/** The parts of a request that parameters fill. */
interface PlacedParameters {
  /** The path with its placeholders. */
  readonly path: string;
  readonly query: Record<string, string>;
  /** The styles of lists and objects in the query. */
  readonly styles: Record<string, EntryStyle>;
  readonly headers: Record<string, string>;
  readonly cookies: string[];
}

const JOINED: Readonly<Record<string, EntryStyle>> = {
  spaceDelimited: 'space',
  pipeDelimited: 'pipe',
  tabDelimited: 'tab',
};

/** Creates an argument for each parameter and puts its placeholder where the API expects it. */
export function placeParameters(
  path: string,
  parameters: readonly OperationParameter[],
  tools: { readonly list: ArgumentList; readonly converter: SchemaConverter },
): PlacedParameters {
  const { list, converter } = tools;
  const inPath = new Map<string, string>();
  const placed = { query: {}, styles: {}, headers: {}, cookies: [] } as Omit<PlacedParameters, 'path'>;
  const addToQuery = (parameter: OperationParameter, resolved: JsonSchema): void => {
    const { name, required, description, sample } = parameter;
    const style = styleOf(parameter);
    const isWhole = required || listProperties(resolved).every((property) => !property.required);
    if ((style === 'deep' || style === 'spread') && isFixedObject(resolved) && isWhole) {
      for (const property of listProperties(resolved)) {
        const key = style === 'deep' ? `${name}[${property.name}]` : property.name;
        const isRequired = required && property.required;
        placed.query[key] = list.add({ ...property, name: key, location: 'query', required: isRequired });
        if (style === 'deep' && mayHaveParts(converter.resolve(property.schema))) placed.styles[key] = 'deep';
      }
      return;
    }
    const isList = resolved['type'] === 'array';
    const schema = required && style !== 'json' ? notEmpty(parameter.schema, converter) : parameter.schema;
    placed.query[name] = list.add({ name, location: 'query', schema, required, description, sample });
    if (style !== undefined && mayHaveParts(resolved) && !(style === 'spread' && isList)) placed.styles[name] = style;
  };
  for (const parameter of parameters) {
    const { name, place, required, description, sample } = parameter;
    const resolved = converter.resolve(parameter.schema);
    if (place === 'query' || place === 'querystring') {
      addToQuery(parameter, resolved);
      continue;
    }
    const form = writtenForm(parameter, resolved);
    const schema: JsonSchema = form === undefined ? parameter.schema : { type: 'string' };
    const remark = form === undefined ? description : `${description ?? ''} Written as ${form}.`.trim();
    const shown = sample ?? (place === 'path' && isPlainText(resolved) ? name.toUpperCase() : undefined);
    const own = { sample: shown, isShown: sample !== undefined };
    const placeholder = list.add({ name, location: place, schema, required, description: remark, ...own });
    if (place === 'header') placed.headers[name] = placeholder;
    else if (place === 'cookie') placed.cookies.push(`${name}=${placeholder}`);
    else inPath.set(name, withStyle(parameter, placeholder));
  }
  // A name in the path without a description is still an argument.
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const text = { schema: { type: 'string' }, sample: name.toUpperCase(), isShown: false };
    const known = inPath.get(name) ?? list.add({ name, location: 'path', required: true, ...text });
    inPath.set(name, known);
    return known;
  });
  return { path: filled, ...placed };
}

/** Returns the style of lists and objects in a query or a form; `undefined` for the default. */
export function styleOf({
  style,
  explode,
  isJson,
}: Pick<OperationParameter, 'style' | 'explode' | 'isJson'>): EntryStyle | undefined {
  if (isJson) return 'json';
  if (style === 'deepObject') return 'deep';
  if (explode) return style === 'form' ? 'spread' : undefined;
  return JOINED[style] ?? 'comma';
}

/** True when a value may be a list or an object. */
export function mayHaveParts({ type, anyOf, oneOf, allOf, properties, $ref }: JsonSchema): boolean {
  if (type !== undefined) return [type].flat().some((name) => name === 'array' || name === 'object');
  const isChoice = [anyOf, oneOf, allOf].flatMap((parts): unknown[] => (Array.isArray(parts) ? parts : []));
  return (
    properties !== undefined || $ref !== undefined || isChoice.some((part) => isPlainObject(part) && mayHaveParts(part))
  );
}

/** Text of any form: its name can serve as its example value, as in most API documentation. */
function isPlainText({ type, enum: values, pattern, format }: JsonSchema): boolean {
  return type === 'string' && values === undefined && pattern === undefined && format === undefined;
}

/** Returns a schema that excludes empty lists and objects, which would not be sent in a query or a form. */
export function notEmpty(schema: JsonSchema, converter: SchemaConverter): JsonSchema {
  const { type, minItems = 0, minProperties = 0 } = converter.resolve(schema);
  if (type === 'array' && !(Number(minItems) > 0)) return { ...schema, minItems: 1 };
  return type === 'object' && !(Number(minProperties) > 0) ? { ...schema, minProperties: 1 } : schema;
}

/** Describes the form of a value that a template cannot write; `undefined` for all others. */
function writtenForm(
  { name, place, style, explode, isJson }: OperationParameter,
  schema: JsonSchema,
): string | undefined {
  if (isJson || !mayHaveParts(schema)) return undefined;
  const isList = schema['type'] === 'array';
  if (place === 'cookie') return undefined;
  if (style === 'label' && explode) return isList ? 'a.b.c' : 'key=value.key=value';
  if (style === 'matrix' && explode) return isList ? `a;${name}=b` : 'value;key=value';
  if (isList) return undefined;
  return explode ? 'key=value,key=value' : 'key,value,key,value';
}

function withStyle({ name, style }: OperationParameter, placeholder: string): string {
  if (style === 'label') return `.${placeholder}`;
  return style === 'matrix' ? `;${name}=${placeholder}` : placeholder;
}

type ParameterPlace = 'path' | 'query' | 'querystring' | 'header' | 'cookie';

export interface OperationParameter {
  readonly name: string;
  readonly place: ParameterPlace;
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: JsonSchema;
  /** The style of a list or an object: `form`, `simple`, `deepObject` and so on. */
  readonly style: string;
  readonly explode: boolean;
  /** True for a value that is sent as JSON text. */
  readonly isJson: boolean;
  /** A value from the document; `undefined` if it shows none. */
  readonly sample: unknown;
}

const STYLES: Readonly<Record<ParameterPlace, string>> = {
  path: 'simple',
  query: 'form',
  // OpenAPI 3.2: one object for the whole query.
  querystring: 'form',
  header: 'simple',
  cookie: 'form',
};
/** Headers that the HTTP client sets itself. */
export const FRAMING: ReadonlySet<string> = new Set(
  `accept-encoding connection content-encoding content-length expect host keep-alive proxy-connection te trailer
  transfer-encoding upgrade`.split(/\s+/),
);
/** These headers, and those described elsewhere according to OpenAPI. */
const NOT_ARGUMENTS = new Set(['accept', 'authorization', 'content-type', ...FRAMING]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Returns the parameters of an operation and its path; the operation's own win. */
export function collectParameters(
  nodes: readonly unknown[],
  reader: ReferenceReader,
  converter: SchemaConverter,
): OperationParameter[] {
  const found = new Map<string, OperationParameter>();
  for (const node of nodes.flatMap((list): unknown[] => (Array.isArray(list) ? list : []))) {
    const parameter = reader.follow(node);
    const read = parameter === undefined ? undefined : readParameter(parameter, reader, converter);
    if (read !== undefined) found.set(`${read.place}:${read.name}`, read);
  }
  return [...found.values()];
}

function readParameter(
  node: DocumentNode,
  reader: ReferenceReader,
  converter: SchemaConverter,
): OperationParameter | undefined {
  const { name, in: place, description, content, schema, style } = node;
  if (typeof name !== 'string' || name === '' || !isPlace(place)) return undefined;
  if (place === 'header' && (NOT_ARGUMENTS.has(name.toLowerCase()) || !HEADER_NAME.test(name))) return undefined;
  const [mediaType, mediaNode] = isPlainObject(content) ? (Object.entries(content)[0] ?? []) : [];
  const media = reader.follow(mediaNode);
  if (place === 'querystring' && mediaType?.includes('x-www-form-urlencoded') !== true) {
    reader.note(`The parameter "${name}" was left out: a query of the type ${mediaType ?? 'unknown'} cannot be sent.`);
    return undefined;
  }
  const usedStyle = typeof style === 'string' ? style : STYLES[place];
  return {
    name,
    place,
    required: place === 'path' || node['required'] === true,
    description: typeof description === 'string' && description.trim() !== '' ? description.trim() : undefined,
    schema: converter.convert(media === undefined ? schema : media['schema']),
    style: usedStyle,
    explode: typeof node['explode'] === 'boolean' ? node['explode'] : usedStyle === 'form',
    isJson: mediaType?.includes('json') === true,
    sample: [...readExamples(node, reader), ...(media === undefined ? [] : readExamples(media, reader))][0]?.value,
  };
}

function isPlace(value: unknown): value is ParameterPlace {
  return typeof value === 'string' && Object.hasOwn(STYLES, value);
}
