import { isPlainObject, type JsonSchema } from '../../tool/json.ts';
import type { SchemaConverter } from './convert-schema.ts';
import { readExamples } from './read-examples.ts';
import type { DocumentNode, ReferenceReader } from './reference-reader.ts';

/** Where a parameter goes. */
type ParameterPlace = 'path' | 'query' | 'querystring' | 'header' | 'cookie';

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
  /** A value that the document shows; `undefined` where it shows none. */
  readonly sample: unknown;
}

const STYLES: Readonly<Record<ParameterPlace, string>> = {
  path: 'simple',
  query: 'form',
  // OpenAPI 3.2: one object for all of the query.
  querystring: 'form',
  header: 'simple',
  cookie: 'form',
};
/** Headers that are the client's own business. */
export const FRAMING: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** These, and those that are described elsewhere, as OpenAPI says. */
const NOT_ARGUMENTS = new Set(['accept', 'authorization', 'content-type', ...FRAMING]);
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
