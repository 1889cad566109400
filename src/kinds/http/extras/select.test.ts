import { describe, expect, it } from 'vitest';
import { startServer } from '../../../platform/http/loopback-server.test-helper.ts';
import { faultOf, openHttpBoard } from '../http-board.test-helper.ts';
import { findSelectFault, select } from './select.ts';

const ISSUES = [1, 2, 3].map((id) => ({ id, title: `T${id}`, user: { login: 'ada', url: 'https://x' } }));
const FIELDS = '{id: id, by: user.login}';

describe('select', () => {
  it('selects data for the model, as text and as data', async () => {
    const { origin } = await startServer(({ target }, response) => {
      const json = { 'content-type': 'application/json' };
      if (target === '/text') response.end('hello');
      else if (target === '/none') response.writeHead(204).end();
      else if (target === '/list') response.writeHead(200, json).end(JSON.stringify(ISSUES));
      else if (target === '/graphql') response.writeHead(200, json).end(JSON.stringify({ data: { all: ISSUES } }));
      else response.writeHead(200, json).end(JSON.stringify({ items: ISSUES, filler: 'x'.repeat(2_000_000) }));
    });
    const board = await openHttpBoard({
      plain: { requests: [{ url: `${origin}/`, select: `items[].${FIELDS}` }] },
      pages: { requests: [{ url: `${origin}/list`, select: `[].${FIELDS}`, paginate: { type: 'link' } }] },
      graphql: { requests: [{ url: `${origin}/graphql`, graphql: { query: '{ all }' }, select: `all[].${FIELDS}` }] },
      text: { requests: [{ url: `${origin}/text`, select: 'a' }] },
      none: { requests: [{ url: `${origin}/none`, select: 'a' }] },
      wrong: { requests: [{ url: `${origin}/list`, select: 'sum(@)' }] },
    });
    const small = ISSUES.map(({ id }) => ({ id, by: 'ada' }));
    expect(await board.call('plain', {})).toMatchObject({ data: small, text: JSON.stringify(small) });
    expect((await board.call('pages', {})).data).toEqual({ items: small });
    expect((await board.call('graphql', {})).data).toEqual(small);
    expect((await board.call('text', {})).text).toBe(
      'The answer is not JSON, which select of the request needs: hello',
    );
    expect(await board.call('none', {})).toMatchObject({ ok: true, text: '(no content, status 204)' });
    expect((await board.call('wrong', {})).text).toMatch(/^The answer is not what select expects: .*sum\(\)/);
  });

  it('reads JSON sent as text, and rejects an HTML page', async () => {
    const keys = {
      select: { select: 'a' },
      paginate: { paginate: { type: 'link' } },
      graphql: { graphql: { query: '{ a }' } },
    };
    const { origin } = await startServer(({ target }, response) => {
      const type = target === '/page' ? 'text/html' : 'text/plain';
      const answers: Readonly<Record<string, string>> = {
        '/select': '{"a":1}',
        '/paginate': '[1]',
        '/graphql': '{"data":{"a":1}}',
        '/cut': JSON.stringify({ a: 1, filler: 'x'.repeat(5_000_000) }),
      };
      response.writeHead(200, { 'content-type': type }).end(answers[target] ?? '<h1>Log in</h1>');
    });
    const at = (path: string) =>
      Object.entries(keys).map(
        ([name, key]) => [name, { requests: [{ url: origin + (path || `/${name}`), ...key }] }] as const,
      );
    const texts = async (path: string): Promise<string[]> => {
      const board = await openHttpBoard(Object.fromEntries(at(path)));
      const results = await Promise.all(Object.keys(keys).map((name) => board.call(name, {})));
      return results.map(({ ok, text }) => `${ok ? 'ok' : 'failed'} ${text}`);
    };
    expect(await texts('')).toEqual(['ok 1', 'ok {"items":[1]}', 'ok {"a":1}']);
    expect(await texts('/page')).toEqual(
      Object.keys(keys).map(
        (key) => `failed The answer is not JSON, which ${key} of the request needs: <h1>Log in</h1>`,
      ),
    );
    expect((await texts('/cut'))[0]).toBe(
      'failed The answer has more than 4,194,304 bytes, and select of the request needs it whole. Ask for less, or let the operator of the tool raise max_output.',
    );
  });

  it('is checked when the board is opened', async () => {
    const at = async (expression: string): Promise<string> =>
      faultOf({ requests: [{ url: 'https://example.com/', select: expression }] });
    expect(await at('items[')).toContain('requests[0].select: cannot be read: Syntax error');
    expect(await at('items[].{a: shorten(id)}')).toContain('calls shorten(), which does not exist. Write JMESPath');
    expect(await at('items[].[trim(name)]')).toContain('calls trim(), which some responses could keep busy forever');
    expect(findSelectFault('('.repeat(20_000))).toContain('is longer than 4000 characters');
    expect(findSelectFault('('.repeat(1900) + 'a' + ')'.repeat(1900))).toBeUndefined();
  });

  it('returns only what the response has, and ends with any response', () => {
    expect(['constructor', 'toString', '__proto__.constructor'].map((name) => select({}, name))).toEqual([
      null,
      null,
      null,
    ]);
    const polluting: unknown = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
    select(polluting, 'merge(@, {b: `1`})');
    select([['__proto__', { polluted: true }]], 'from_items(@)');
    expect('polluted' in {}).toBe(false);
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    expect(() => select(deep, 'to_string(@)')).toThrow(/^The answer is not what select expects/);
  });
});
