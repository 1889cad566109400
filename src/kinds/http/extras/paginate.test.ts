import { describe, expect, it } from 'vitest';
import { type Answer, startServer } from '../../../platform/http/loopback-server.test-helper.ts';
import { OWNER_KEY } from '../../../tool/calls/call-owner.ts';
import { faultOf, openHttpBoard } from '../http-board.test-helper.ts';

const ALL = Array.from({ length: 10 }, (_, index) => index + 1);
const SIZE = 3;

function send(response: Parameters<Answer>[1], value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Serves three items per page with every kind of pagination, chosen by the path. */
const answer: Answer = ({ target, body }, response) => {
  const url = new URL(target, 'http://server');
  const sent = body.length === 0 ? {} : JSON.parse(String(body));
  const text = url.searchParams.get('at') ?? sent.at ?? sent.variables?.at ?? '0';
  const start = url.pathname === '/page' ? (Number(url.searchParams.get('at')) - 1) * SIZE : Number(text);
  const items = ALL.slice(start, start + SIZE);
  const next = start + SIZE < ALL.length ? String(start + SIZE) : null;
  const link =
    next === null ? '' : `<http://x/?a=1,2>; rel="prev", </by-id/7?at=${next}>; title="a, b"; rel="last next"`;
  switch (url.pathname) {
    case '/link':
    case '/by-id/7':
      return send(response, items, { link });
    case '/body-link':
      return send(response, { items, links: { next: next && `?at=${next}` } });
    case '/graphql':
      return send(response, {
        data: { list: { nodes: items, page: { more: next !== null, end: next ?? 'still a cursor' } } },
      });
    default:
      return send(response, { data: { items }, meta: { next, total: ALL.length } });
  }
};

const QUERY = 'query Q($at: String) { list(after: $at) { nodes page { more end } } }';
const WAYS: Readonly<Record<string, { readonly paginate: object; readonly [key: string]: unknown }>> = {
  link: { paginate: { type: 'link' } },
  'body-link': { paginate: { type: 'link', items: 'items', next: 'links.next' } },
  cursor: { paginate: { type: 'cursor', items: 'data.items', next: 'meta.next', param: 'at' } },
  body: {
    method: 'POST',
    body: { at: '{{at}}' },
    paginate: { type: 'cursor', items: 'data.items', next: 'meta.next', param: 'at' },
  },
  page: { paginate: { type: 'page', items: 'data.items', param: 'at' } },
  offset: { paginate: { type: 'offset', items: 'data.items', param: 'at', more: 'meta.total' } },
  graphql: {
    graphql: { query: QUERY },
    paginate: { type: 'cursor', items: 'list.nodes', next: 'list.page.end', more: 'list.page.more', param: 'at' },
  },
};

async function openPages(change: object = {}) {
  const server = await startServer(answer);
  const tools = Object.entries(WAYS).map(([name, keys]) => {
    const paginate = { ...keys.paginate, ...change };
    return [name, { requests: [{ url: `${server.origin}/${name}`, ...keys, paginate }] }] as const;
  });
  return { server, board: await openHttpBoard(Object.fromEntries(tools)) };
}

describe('pages', () => {
  it('are joined in one call, for every kind of pagination', async () => {
    const { board } = await openPages();
    const names = Object.keys(WAYS);
    const results = await Promise.all(names.map((name) => board.call(name, {})));
    expect(results.map(({ data }) => data)).toEqual(names.map(() => ({ items: ALL })));
  });

  it.each(Object.keys(WAYS))('by %s stop at a limit, and continue where they stopped', async (name) => {
    const { board, server } = await openPages({ limit: 5 });
    const first = await board.call(name, {});
    const param = { link: 'next', 'body-link': 'next' }[name] ?? 'at';
    const { next } = first.data as { next: unknown };
    expect(first.data).toEqual({
      items: ALL.slice(0, 6),
      note: `These are the first 6 items of more. For the next ones call again with ${param}: ${JSON.stringify(next)}.`,
      next,
    });
    expect(server.seen).toHaveLength(2);
    expect((await board.call(name, { [param]: next })).data).toEqual({ items: ALL.slice(6) });
  });

  it('continue only for the caller that got the id of a link', async () => {
    const { board } = await openPages({ limit: 5 });
    const as = (user: string): object => ({ context: { [OWNER_KEY]: user } });
    const { next } = (await board.call('link', {}, as('ada'))).data as { next: string };
    expect((await board.call('link', { next }, as('bob'))).error).toMatchObject({ code: 'invalid_arguments' });
    expect((await board.call('body-link', { next }, as('ada'))).error).toMatchObject({ code: 'invalid_arguments' });
    expect((await board.call('link', { next }, as('ada'))).data).toEqual({ items: ALL.slice(6) });
  });

  it('are limited in number', async () => {
    const { board, server } = await openPages({ pages: 1 });
    expect((await board.call('cursor', {})).data).toMatchObject({ items: ALL.slice(0, 3), next: '3' });
    expect(server.seen).toHaveLength(1);
  });

  it('report progress', async () => {
    const { board } = await openPages();
    const told: (string | undefined)[] = [];
    await board.call('offset', {}, { onProgress: ({ message }) => told.push(message) });
    expect(told).toEqual(['page 1, 3 items', 'page 2, 6 items', 'page 3, 9 items', 'page 4, 10 items']);
  });
});

describe('a server of pages that cannot be trusted', () => {
  const cursor = { type: 'cursor', items: 'items', next: 'next', pages: 50 };

  it('gets no credentials elsewhere, and no address from a caller', async () => {
    const other = await startServer((_, response) => send(response, [2]));
    const { origin, seen } = await startServer((_, response) =>
      send(response, [1], { link: `<${other.origin}/>; rel=next` }),
    );
    const board = await openHttpBoard({ get: { requests: [{ url: origin, paginate: { type: 'link' } }] } });
    expect((await board.call('get', {})).data).toEqual({
      items: [1],
      note: `The next page is at ${other.origin}, not at ${origin}, so it was not requested: it would receive data meant for ${origin}.`,
    });
    for (const next of [`${origin}/secret`, '/secret', other.origin]) {
      expect((await board.call('get', { next })).error).toMatchObject({ code: 'invalid_arguments', field: 'next' });
    }
    expect([seen.length, other.seen.length]).toEqual([1, 0]);
  });

  it('does not choose requests with the credentials of another server, nor overflow the stack', async () => {
    const other = await startServer((_, response) =>
      send(response, Array(200_000).fill(1), { link: `<${api.origin}/admin>; rel=next` }),
    );
    const api = await startServer((_, response) => response.writeHead(302, { location: other.origin }).end());
    const get = { auth: { type: 'bearer', token: 'of-the-api' }, redirects: 'any' };
    const board = await openHttpBoard({ get: { ...get, requests: [{ url: api.origin, paginate: { type: 'link' } }] } });
    expect((await board.call('get', {})).data).toMatchObject({
      items: { length: 200_000 },
      note: `The answer came from ${other.origin}, so its link to the next page was not followed: ${other.origin} must not choose requests to ${api.origin}.`,
    });
    expect(api.seen).toHaveLength(1);
  });

  it('is not followed in cycles or repetitions, and gets a limited number of requests', async () => {
    const { origin, seen } = await startServer(({ target }, response, count) => {
      if (target.startsWith('/circle')) send(response, { items: [count], next: 'a' });
      else if (target.startsWith('/same')) send(response, { items: [1], next: String(count) });
      else send(response, { items: [count], next: String(count) });
    });
    const board = await openHttpBoard({
      circle: { requests: [{ url: `${origin}/circle`, paginate: cursor }] },
      same: { requests: [{ url: `${origin}/same`, paginate: cursor }] },
      endless: { requests: [{ url: `${origin}/endless`, paginate: cursor }] },
    });
    expect((await board.call('circle', {})).data).toEqual({
      items: [1, 2],
      note: 'The server links back to an earlier page, so no further page was requested.',
    });
    expect((await board.call('same', {})).data).toEqual({
      items: [1],
      note: 'The server sent the same page twice, so no further page was requested.',
    });
    expect((await board.call('endless', {})).data).toMatchObject({ items: { length: 50 }, next: expect.any(String) });
    expect(seen).toHaveLength(54);
  });

  it('that fails midway leaves its items, and where to continue', async () => {
    const { origin } = await startServer(({ target }, response) =>
      target.includes('cursor=b')
        ? response.writeHead(400).end('no')
        : send(response, { items: [1], next: target.includes('cursor=a') ? 'b' : 'a' }),
    );
    const requests = [{ url: origin, paginate: cursor }];
    const board = await openHttpBoard({
      get: { requests },
      wrong: { requests: [{ url: origin, paginate: { ...cursor, items: 'data' } }] },
    });
    const { data } = await board.call('get', { cursor: 'a' });
    expect(data).toEqual({
      items: [1],
      note: `Page 2 failed: The server answered 400 at ${origin}/: no. For the next ones call again with cursor: "b".`,
      next: 'b',
    });
    expect((await board.call('wrong', {})).text).toBe(
      '"data" of the answer is not a list, so its pages cannot be joined. The answer has: items, next. The operator of the tool must set paginate.items.',
    );
  });

  it('gets no further requests from a cancelled call', async () => {
    const controller = new AbortController();
    const { origin, seen } = await startServer((_, response, count) => {
      if (count === 3) controller.abort();
      else send(response, { items: [count], next: String(count) });
    });
    const board = await openHttpBoard({ get: { requests: [{ url: origin, paginate: cursor }] } });
    expect((await board.call('get', {}, { signal: controller.signal })).error).toMatchObject({ code: 'cancelled' });
    expect(seen).toHaveLength(3);
  });
});

describe('GraphQL', () => {
  const request = (origin: string, graphql: object) => ({ requests: [{ url: origin, graphql }] });
  const schema = { properties: { id: { type: 'string' }, other: { type: 'string' } } };

  it('sends the query unchanged, and arguments as variables only', async () => {
    const { origin, seen } = await startServer((_, response) => send(response, { data: { user: { name: 'Ada' } } }));
    const query = 'query Q($id: ID!) { user(id: $id) { name } }';
    const board = await openHttpBoard({
      plain: { schema, ...request(origin, { query }) },
      mapped: { schema, ...request(origin, { query, operation: 'Q', variables: { id: 'u-{{id}}' } }) },
    });
    const input = { id: '"}) { evil }', other: 'x' };
    expect(await board.call('plain', input)).toMatchObject({ data: { user: { name: 'Ada' } } });
    await board.call('mapped', input);
    expect(seen.map(({ body }): unknown => JSON.parse(String(body)))).toEqual([
      { query, variables: { id: input.id } },
      { query, operationName: 'Q', variables: { id: `u-${input.id}` } },
    ]);
  });

  it('reports errors in a response with status 200 as failures, with the returned data', async () => {
    const errors = [{ message: 'No such user', path: ['users', 1, 'name'] }, { message: 'Slow' }];
    const { origin } = await startServer(({ target }, response) =>
      send(response, { errors, data: target === '/some' ? { users: [{ name: 'Ada' }, null] } : null }),
    );
    const board = await openHttpBoard({
      none: request(`${origin}/none`, { query: '{ users }' }),
      some: request(`${origin}/some`, { query: '{ users }' }),
    });
    const message = 'The server answered with errors:\n- No such user (at users[1].name)\n- Slow';
    expect(await board.call('none', {})).toMatchObject({ ok: false, text: message });
    const some = await board.call('some', {});
    expect(some.error).toMatchObject({ code: 'execution_failed', message });
    expect(some.text).toBe(`${message}\n\nIt also returned: {"users":[{"name":"Ada"},null]}`);
  });
});

it('finds mistakes when the board is opened', async () => {
  const url = 'https://example.com/';
  const faults = await Promise.all(
    [
      { url, paginate: { type: 'cursor' } },
      { url, graphql: { query: '{ user(id: "{{id}}") }' } },
      { url, graphql: { query: '{ a }' }, body: 'x' },
    ].map((request) => faultOf({ requests: [request] })),
  );
  expect(faults.join('\n')).toMatch(
    /requests\[0\]\.paginate: needs next: [^]*\.graphql\.query: must not have a placeholder: [^]*\.graphql: is sent as the body of a POST/,
  );
});
