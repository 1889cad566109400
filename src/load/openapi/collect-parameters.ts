import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import type { SchemaConverter } from './convert-schema.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';

/** Where a parameter goes. */
type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

/** A parameter of an operation. */
export interface OperationParameter {
  readonly name: string;
  readonly place: ParameterPlace;
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: JsonSchema;
  /** How a list or an object is written: `form`, `simple`, `deepObject` and so on. */
  readonly style: string;
  readonly explode: boolean;
  /** True for a value that is sent as JSON text. */
  readonly isJson: boolean;
}

const STYLES: Readonly<Record<ParameterPlace, string>> = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
};
/** Described elsewhere, as OpenAPI says (the first three), or the client's own business. */
const NOT_ARGUMENTS = new Set([
  'accept',
  'authorization',
  'content-type',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The parameters of an operation with those of its path; the operation's own win. */
export function collectParameters(
  nodes: readonly unknown[],
  reader: ReferenceReader,
  converter: SchemaConverter,
): OperationParameter[] {
  const found = new Map<string, OperationParameter>();
  for (const node of nodes.flatMap((list): unknown[] => (Array.isArray(list) ? list : []))) {
    const parameter = reader.follow(node);
    const read = parameter === undefined ? undefined : readParameter(parameter, converter);
    if (read !== undefined) found.set(`${read.place}:${read.name}`, read);
  }
  return [...found.values()];
}

function readParameter(node: DocumentNode, converter: SchemaConverter): OperationParameter | undefined {
  const { name, in: place, description, content, schema, style } = node;
  if (typeof name !== 'string' || name === '' || !isPlace(place)) return undefined;
  if (place === 'header' && (NOT_ARGUMENTS.has(name.toLowerCase()) || !HEADER_NAME.test(name))) return undefined;
  const [mediaType, media] = isPlainObject(content) ? (Object.entries(content)[0] ?? []) : [];
  const usedStyle = typeof style === 'string' ? style : STYLES[place];
  return {
    name,
    place,
    required: place === 'path' || node['required'] === true,
    description: typeof description === 'string' && description.trim() !== '' ? description.trim() : undefined,
    schema: converter.convert(isPlainObject(media) ? media['schema'] : schema),
    style: usedStyle,
    explode: typeof node['explode'] === 'boolean' ? node['explode'] : usedStyle === 'form',
    isJson: mediaType?.includes('json') === true,
  };
}

function isPlace(value: unknown): value is ParameterPlace {
  return typeof value === 'string' && Object.hasOwn(STYLES, value);
}
