// A fake Qdrant server, written from its public API description: only the requests the store sends, with every field
// checked, so that it refuses the same requests as Qdrant.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Point {
  id: string;
  vector: Record<string, number[] | Sparse>;
  payload: Record<string, unknown>;
}

interface Collection {
  vectors: Record<string, { size: number; distance: string }>;
  sparse: Record<string, { modifier?: string }>;
  indexes: Map<string, string>;
  points: Map<string, Point>;
}

interface Sparse {
  indices: number[];
  values: number[];
}

interface Condition {
  key?: string;
  match?: { value?: unknown; any?: unknown[] };
  range?: { gte: number };
  has_id?: string[];
}

interface Filter {
  must: Condition[];
}

/** The union of all request bodies. */
interface Body {
  vectors?: Collection['vectors'];
  sparse_vectors?: Collection['sparse'];
  field_name?: string;
  field_schema?: string;
  points?: Point[];
  filter?: Filter;
  operations?: { upsert?: { points: Point[] }; delete?: { filter: Filter } }[];
  ids?: string[];
  with_payload?: boolean | string[] | { exclude: string[] };
  with_vector?: boolean | string[];
  limit?: number;
  offset?: string;
  query?: number[] | Sparse;
  using?: string;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A request that the server received. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly apiKey: string | undefined;
  readonly body: unknown;
}

/** Starts the fake server; it answers the next `failures` requests with 503. */
export async function startQdrantApi(): Promise<{
  url: string;
  requests: SeenRequest[];
  fail(count: number): void;
  close(): Promise<void>;
}> {
  const collections = new Map<string, Collection>();
  const requests: SeenRequest[] = [];
  let failures = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readBody(request);
      const url = new URL(request.url ?? '', 'http://x');
      const apiKey = request.headers['api-key'];
      requests.push({
        method: request.method ?? '',
        path: `${url.pathname}${url.search}`,
        apiKey: typeof apiKey === 'string' ? apiKey : undefined,
        body,
      });
      let [status, answer]: [number, unknown] = [200, undefined];
      try {
        if (failures-- > 0) throw new Refusal(503, 'Service is starting');
        answer = {
          result: route(collections, `${request.method} ${decodeURIComponent(url.pathname)}`, body),
          status: 'ok',
          time: 0.001,
        };
      } catch (error) {
        status = error instanceof Refusal ? error.status : 500;
        answer = { status: { error: String(error instanceof Error ? error.message : error) }, time: 0 };
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fail: (count) => void (failures = count),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  return text === '' ? {} : JSON.parse(text);
}

function route(collections: Map<string, Collection>, request: string, body: Body): unknown {
  if (request === 'GET /collections') return { collections: [...collections.keys()].map((name) => ({ name })) };
  const [, method = '', name = '', rest = ''] = /^(\w+) \/collections\/([^/]+)(.*)$/.exec(request) ?? [];
  if (method === 'PUT' && rest === '') {
    only(body, ['vectors', 'sparse_vectors']);
    if (collections.has(name)) throw new Refusal(409, `Wrong input: Collection \`${name}\` already exists!`);
    collections.set(name, {
      vectors: body.vectors ?? {},
      sparse: body.sparse_vectors ?? {},
      indexes: new Map(),
      points: new Map(),
    });
    return true;
  }
  const collection = collections.get(name);
  if (collection === undefined) throw new Refusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
  switch (`${method} ${rest}`) {
    case 'DELETE ':
      return collections.delete(name);
    case 'PUT /index':
      only(body, ['field_name', 'field_schema']);
      collection.indexes.set(body.field_name ?? '', body.field_schema ?? '');
      return { operation_id: 1, status: 'completed' };
    case 'PUT /points':
      only(body, ['points']);
      return upsert(collection, body.points ?? []);
    case 'POST /points/delete':
      return remove(collection, body);
    case 'POST /points/batch':
      only(body, ['operations']);
      return body.operations?.map((operation) =>
        operation.upsert === undefined
          ? remove(collection, operation.delete ?? {})
          : upsert(collection, operation.upsert.points),
      );
    case 'POST /points/count':
      only(body, ['filter', 'exact']);
      return { count: select(collection, body.filter).length };
    case 'POST /points':
      only(body, ['ids', 'with_payload', 'with_vector']);
      return body.ids?.flatMap((id) => {
        const point = collection.points.get(id);
        return point === undefined ? [] : [show(point, body)];
      });
    case 'POST /points/scroll':
      return scroll(collection, body);
    case 'POST /points/query':
      return query(collection, body);
    default:
      throw new Refusal(404, `no such request: ${request}`);
  }
}

function only(body: object, fields: readonly string[]): void {
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined) throw new Refusal(400, `Format error in JSON body: unknown field \`${unknown}\``);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function upsert(collection: Collection, points: Point[]): unknown {
  for (const point of points) {
    only(point, ['id', 'vector', 'payload']);
    if (!UUID.test(point.id)) throw new Refusal(400, `${point.id} is not a valid point ID`);
    const vector: Point['vector'] = {};
    for (const [name, value] of Object.entries(point.vector)) {
      const settings = collection.vectors[name];
      if (Array.isArray(value)) {
        if (settings === undefined) throw new Refusal(400, `Wrong input: Not existing vector name error: ${name}`);
        if (value.length !== settings.size) throw new Refusal(400, 'Wrong input: Vector dimension error');
        const length = settings.distance === 'Cosine' ? Math.hypot(...value) || 1 : 1;
        vector[name] = value.map((number) => Math.fround(number / length));
      } else {
        if (!(name in collection.sparse))
          throw new Refusal(400, `Wrong input: Not existing vector name error: ${name}`);
        if (new Set(value.indices).size !== value.values.length) throw new Refusal(422, 'must contain unique indices');
        vector[name] = value;
      }
    }
    collection.points.set(point.id, { ...point, vector });
  }
  return { operation_id: 1, status: 'completed' };
}

function remove(collection: Collection, body: Body): unknown {
  only(body, ['filter']);
  for (const { id } of select(collection, body.filter)) collection.points.delete(id);
  return { operation_id: 1, status: 'completed' };
}

function select(collection: Collection, filter: Filter = { must: [] }): Point[] {
  only(filter, ['must']);
  return [...collection.points.values()]
    .filter((point) => filter.must.every((condition) => holds(point, condition)))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function holds({ id, payload }: Point, condition: Condition): boolean {
  if (condition.has_id !== undefined) return condition.has_id.includes(id);
  only(condition, ['key', 'match', 'range']);
  const { match, range } = condition;
  const value = payload[condition.key ?? ''];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (range !== undefined) return values.some((one) => typeof one === 'number' && one >= range.gte);
  if (match?.any !== undefined) return values.some((one) => match.any?.includes(one));
  return values.includes(match?.value);
}

function show(point: Point, { with_payload: payload = false, with_vector: vector = [] }: Body): object {
  const fields = Object.entries(point.payload).filter(([name]) => {
    if (Array.isArray(payload)) return payload.includes(name);
    return typeof payload === 'boolean' ? payload : !payload.exclude.includes(name);
  });
  const vectors = Object.entries(point.vector).filter(([name]) => Array.isArray(vector) && vector.includes(name));
  return {
    id: point.id,
    payload: fields.length === 0 ? null : Object.fromEntries(fields),
    ...(vectors.length === 0 ? {} : { vector: Object.fromEntries(vectors) }),
  };
}

function scroll(collection: Collection, body: Body): unknown {
  only(body, ['filter', 'limit', 'offset', 'with_payload', 'with_vector']);
  const { offset = '', limit = 10 } = body;
  const from = select(collection, body.filter).filter(({ id }) => id >= offset);
  const next = from[limit]?.id ?? null;
  return { points: from.slice(0, limit).map((point) => show(point, body)), next_page_offset: next };
}

function query(collection: Collection, body: Body): unknown {
  only(body, ['query', 'using', 'filter', 'limit', 'with_payload']);
  const { query: wanted = [], using = '', limit = 10 } = body;
  const meant = select(collection, body.filter).filter(({ vector }) => vector[using] !== undefined);
  const scored = Array.isArray(wanted)
    ? meant.map((point) => ({ point, score: compare(wanted, point.vector[using], collection.vectors[using]) }))
    : weigh({ wanted, using, meant, all: [...collection.points.values()] });
  const sign = Array.isArray(wanted) && collection.vectors[using]?.distance === 'Euclid' ? -1 : 1;
  const best = scored.toSorted((a, b) => sign * (b.score - a.score)).slice(0, limit);
  return { points: best.map(({ point, score }) => ({ ...show(point, body), version: 1, score })) };
}

/** Sums the products at shared places, weighed by rarity. */
function weigh(search: {
  wanted: Sparse;
  using: string;
  meant: Point[];
  all: Point[];
}): { point: Point; score: number }[] {
  const { wanted, using, meant, all } = search;
  const rarity = wanted.indices.map((index) => {
    const having = all.filter(({ vector }) => toSparse(vector[using]).indices.includes(index)).length;
    return Math.log((all.length - having + 0.5) / (having + 0.5) + 1);
  });
  const scored = meant.map((point) => {
    const { indices, values } = toSparse(point.vector[using]);
    const parts = wanted.indices.map((index, place) => {
      return (wanted.values[place] ?? 0) * (rarity[place] ?? 0) * (values[indices.indexOf(index)] ?? 0);
    });
    return { point, score: parts.reduce((sum, part) => sum + part, 0) };
  });
  return scored.filter(({ score }) => score > 0);
}

function toSparse(vector: number[] | Sparse | undefined): Sparse {
  return vector === undefined || Array.isArray(vector) ? { indices: [], values: [] } : vector;
}

function compare(
  left: number[],
  right: number[] | Sparse | undefined,
  settings: { size: number; distance: string } | undefined,
): number {
  if (!Array.isArray(right) || left.length !== settings?.size) {
    throw new Refusal(400, 'Wrong input: Vector dimension error');
  }
  if (settings.distance === 'Euclid') return Math.hypot(...left.map((value, place) => value - (right[place] ?? 0)));
  const length = settings.distance === 'Cosine' ? Math.hypot(...left) || 1 : 1;
  return left.reduce((sum, value, place) => sum + (value / length) * (right[place] ?? 0), 0);
}
