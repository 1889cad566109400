import { isPlainObject } from '../../src/tool/json.ts';

/** An object of a document. */
export type Node = Record<string, unknown>;

/** A parameter in the words of OpenAPI 3, whichever version the document has. */
export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly required: boolean;
  readonly pointer: string;
  readonly schema: Node;
  readonly style: string;
  readonly explode: boolean;
  readonly isJson: boolean;
}

/** The rules for a body of one media type. */
interface BodyType {
  /** The address of its schema, or the schema itself; `undefined` for anything. */
  readonly schema: string | Node | undefined;
  /** Separators between the items of fields that are lists in one value, by name. */
  readonly joined: ReadonlyMap<string, string>;
}

/** Separators between the items of a list, by style. */
export const BETWEEN: Readonly<Record<string, string>> = {
  form: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
  tabDelimited: '\t',
};

/** An operation, as requests are told by it. */
export interface Route {
  readonly pattern: RegExp;
  /** The length of the fixed part of the path: the longer, the better a match. */
  readonly weight: number;
  readonly names: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly types: ReadonlyMap<string, BodyType> };
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query'];
/** An object; an empty one where there is none. */
export function nodeOf(value: unknown): Node {
  return isPlainObject(value) ? value : {};
}

const OLD_STYLES: Readonly<Record<string, readonly [string, boolean]>> = {
  csv: ['form', false],
  multi: ['form', true],
  ssv: ['spaceDelimited', false],
  tsv: ['tabDelimited', false],
  pipes: ['pipeDelimited', false],
};

/** The operations of a document by their methods. */
export function readRoutes(document: Node): Map<string, Route[]> {
  const isOld = document['swagger'] !== undefined;
  const routes = new Map<string, Route[]>();
  for (const [path, given] of Object.entries(nodeOf(document['paths']))) {
    const at = follow(document, `/paths/${escapePointer(path)}`, given);
    const additional = nodeOf(at.node['additionalOperations']);
    const operations = [
      ...METHODS.map((method) => [method, at.node[method], `${at.pointer}/${method}`] as const),
      ...Object.entries(additional).map(
        ([method, operation]) => [method, operation, `${at.pointer}/additionalOperations/${method}`] as const,
      ),
    ];
    for (const [method, operation, pointer] of operations) {
      if (typeof operation !== 'object' || operation === null) continue;
      const all = new Map<string, { node: Node; pointer: string }>();
      for (const [from, list] of [
        [at.pointer, at.node['parameters']],
        [pointer, (operation as Node)['parameters']],
      ] as const)
        for (const [index, parameter] of (Array.isArray(list) ? list : []).entries()) {
          const found = follow(document, `${from}/parameters/${index}`, parameter);
          all.set(`${String(found.node['in'])}:${String(found.node['name'])}`, found);
        }
      const given = [...all.values()];
      const names = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
      const [plain = ''] = path.split('#');
      const source = plain.split(/\{[^{}]*\}/).map((text) => text.replaceAll(/[\\^$.*+?()[\]|]/g, String.raw`\$&`));
      const weight = plain.replaceAll(/\{[^{}]*\}/g, '').length;
      const route: Route = {
        pattern: new RegExp(`^${source.join('([^/]+)')}$`),
        weight,
        names,
        parameters: given.flatMap((parameter) => readParameter(document, parameter, isOld)),
        body: readBody(document, { operation: operation as Node, pointer, given, isOld }),
      };
      const key = method.toUpperCase();
      routes.set(key, [...(routes.get(key) ?? []), route]);
    }
  }
  return routes;
}

function readParameter(
  document: Node,
  { node, pointer }: { node: Node; pointer: string },
  isOld: boolean,
): Parameter[] {
  const place = String(node['in']);
  if (!['path', 'query', 'header', 'cookie'].includes(place)) return [];
  const [mediaType] = Object.keys(nodeOf(node['content']));
  const schemaPointer = isOld
    ? pointer
    : mediaType
      ? `${pointer}/content/${escapePointer(mediaType)}/schema`
      : `${pointer}/schema`;
  const { node: schema } = follow(document, schemaPointer, lookUp(document, schemaPointer) ?? {});
  const [oldStyle, oldExplode] = OLD_STYLES[textOf(node['collectionFormat'], 'csv')] ?? ['form', false];
  const style = isOld ? oldStyle : textOf(node['style'], place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const explode = isOld ? oldExplode : Boolean(node['explode'] ?? style === 'form');
  const isJson = mediaType?.includes('json') === true;
  return [
    {
      name: String(node['name']),
      place,
      required: node['required'] === true,
      pointer: schemaPointer,
      schema,
      style,
      explode,
      isJson,
    },
  ];
}

function readBody(
  document: Node,
  source: { operation: Node; pointer: string; given: readonly { node: Node; pointer: string }[]; isOld: boolean },
): Route['body'] {
  const { operation, pointer, given, isOld } = source;
  if (!isOld) {
    const body = follow(document, `${pointer}/requestBody`, operation['requestBody'] ?? {});
    const types = Object.entries(nodeOf(body.node['content'])).map(([type, media]): [string, BodyType] => {
      const at = `${body.pointer}/content/${escapePointer(type)}/schema`;
      return [type, { schema: lookUp(document, at) === undefined ? undefined : at, joined: readJoined(nodeOf(media)) }];
    });
    return { required: body.node['required'] === true, types: new Map(types) };
  }
  const written = operation['consumes'] ?? document['consumes'] ?? ['application/json'];
  const consumes = Array.isArray(written) ? written.map(String) : [];
  const body = given.find(({ node }) => node['in'] === 'body');
  if (body !== undefined) {
    const type = { schema: `${body.pointer}/schema`, joined: new Map<string, string>() };
    return { required: body.node['required'] === true, types: new Map(consumes.map((name) => [name, type])) };
  }
  const fields = given.filter(({ node }) => node['in'] === 'formData').map(({ node }) => node);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => {
        const type = field['type'] === 'file' ? 'string' : field['type'];
        return [String(field['name']), { ...field, type, required: undefined }];
      }),
    ),
    required: fields.filter((field) => field['required'] === true).map((field) => String(field['name'])),
    additionalProperties: false,
  };
  const types = [...consumes, 'application/x-www-form-urlencoded'].filter((type) => !type.includes('json'));
  const joined = fields
    .filter((field) => field['type'] === 'array' && field['collectionFormat'] !== 'multi')
    .map(
      (field) =>
        [
          String(field['name']),
          BETWEEN[OLD_STYLES[textOf(field['collectionFormat'], 'csv')]?.[0] ?? ''] ?? ',',
        ] as const,
    );
  const known = fields.length === 0 ? [] : types.map((type) => [type, { schema, joined: new Map(joined) }] as const);
  return { required: false, types: new Map(known) };
}

function readJoined({ encoding }: Node): Map<string, string> {
  const found = Object.entries(nodeOf(encoding)).flatMap(([name, given]): [string, string][] => {
    const { style = 'form', explode = style === 'form' } = nodeOf(given);
    return explode === true || style === 'deepObject' ? [] : [[name, BETWEEN[textOf(style, 'form')] ?? ',']];
  });
  return new Map(found);
}

function follow(document: Node, pointer: string, given: unknown): { node: Node; pointer: string } {
  let at = { node: (given ?? {}) as Node, pointer };
  for (let hop = 0; hop < 20 && typeof at.node['$ref'] === 'string'; hop++) {
    const target = decodeURIComponent(at.node['$ref'].slice(1));
    at = { node: (lookUp(document, target) ?? {}) as Node, pointer: target };
  }
  return at;
}

function lookUp(document: Node, pointer: string): unknown {
  let node: unknown = document;
  for (const key of pointer.split('/').slice(1)) {
    node = (node as Node | undefined)?.[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return node;
}

function escapePointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
