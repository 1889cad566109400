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

/** An operation, as requests are told by it. */
export interface Route {
  readonly pattern: RegExp;
  /** How much of the path is fixed: the more, the better a match. */
  readonly weight: number;
  readonly names: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly types: ReadonlyMap<string, string> };
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query'];
/** An object; an empty one where there is none. */
export function nodeOf(value: unknown): Node {
  return isPlainObject(value) ? value : {};
}

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
  const formats: Record<string, [string, boolean]> = {
    csv: ['form', false],
    multi: ['form', true],
    ssv: ['spaceDelimited', false],
    tsv: ['tabDelimited', false],
    pipes: ['pipeDelimited', false],
  };
  const [oldStyle, oldExplode] = formats[textOf(node['collectionFormat'], 'csv')] ?? ['form', false];
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
    const types = Object.keys(nodeOf(body.node['content']));
    const pointers = types.map((type) => [type, `${body.pointer}/content/${escapePointer(type)}/schema`] as const);
    return {
      required: body.node['required'] === true,
      types: new Map(pointers.map(([type, at]) => [type, lookUp(document, at) === undefined ? '/x-any' : at])),
    };
  }
  const consumes = (operation['consumes'] ?? document['consumes'] ?? ['application/json']) as string[];
  const body = given.find(({ node }) => node['in'] === 'body');
  if (body !== undefined)
    return {
      required: body.node['required'] === true,
      types: new Map(consumes.map((type) => [type, `${body.pointer}/schema`])),
    };
  const fields = given.filter(({ node }) => node['in'] === 'formData');
  const types = [...consumes, 'application/x-www-form-urlencoded'].filter((type) => !type.includes('json'));
  return { required: false, types: new Map(fields.length === 0 ? [] : types.map((type) => [type, '/x-any'])) };
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
