// Checks on the wire that every value arrives in its place and changes nothing else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolError } from '../../tool/tool-error.ts';
import { compileRequest, type RequestDefinition } from './template/compile-request.ts';
import { openClient, type SeenRequest, startServer } from './loopback-server.test-helper.ts';
import { sendRequest } from './send-request.ts';

type Send = (value: unknown) => Promise<SeenRequest | undefined>;

/** Sends values with a definition. Returns the received request, or `undefined` for a refused value. */
async function prepare(definition: (origin: string) => RequestDefinition): Promise<Send> {
  const { origin, seen } = await startServer((_, response) => response.end());
  const client = openClient({ allow: [new URL(origin).host] });
  const compilation = compileRequest(definition(origin));
  if (!compilation.ok) throw new Error(JSON.stringify(compilation.faults));
  const { request } = compilation;
  return async (value) => {
    const before = seen.length;
    try {
      await sendRequest(request.render({ value }), { client });
    } catch (error) {
      if (error instanceof ToolError && error.code === 'invalid_arguments' && error.field === 'value') return undefined;
      throw error;
    }
    expect(seen.length).toBe(before + 1);
    return seen.at(-1);
  };
}

const NASTY = [
  '../x',
  '%2e%2e',
  '..%2f',
  '//evil.example',
  '@evil.example',
  '\\\\evil',
  '.',
  '..',
  '',
  '?a=b',
  '#x',
  'a\r\nX-Evil: 1',
  '\0',
  '{{value}}',
  '${HOME}',
  '😀',
  'e\u0301',
  '\u202e',
  '+ %20',
  ';a=b',
  'http://evil.example/',
];

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary' }) },
  {
    weight: 2,
    arbitrary: fc.string({
      unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'f', '@', ':', '?', '#', '&', '=', '\r', '\n', ' ', 'ä'),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(...NASTY) },
);
const RUNS = { numRuns: 300, examples: NASTY.map((value): [string] => [value]) };

/** Checks that the received request, seen through `view`, is `expected`, or that the value was refused. */
async function check(
  send: Send,
  value: unknown,
  expected: { view: (seen: SeenRequest) => unknown; is: unknown },
): Promise<void> {
  const seen = await send(value);
  expect(seen === undefined ? 'refused' : expected.view(seen)).toEqual(expected.is);
}

const isText = (value: string): boolean => value.isWellFormed();

describe('a value on the wire', () => {
  it('stays one path segment of the same server', async () => {
    const send = await prepare((origin) => ({ url: `${origin}/a/{{value}}/z` }));
    await fc.assert(
      fc.asyncProperty(text, (value) =>
        check(send, value, {
          view: ({ target }) => target.split('/').map(decodeURIComponent),
          is: isText(value) && !['', '.', '..'].includes(value) ? ['', 'a', value, 'z'] : 'refused',
        }),
      ),
      RUNS,
    );
  });

  it('stays part of a longer segment', async () => {
    const send = await prepare((origin) => ({ url: `${origin}/files/{{value}}.json` }));
    await fc.assert(
      fc.asyncProperty(text, (value) =>
        check(send, value, {
          view: ({ target }) => target.split('/').map(decodeURIComponent),
          is: isText(value) && value !== '' ? ['', 'files', `${value}.json`] : 'refused',
        }),
      ),
      RUNS,
    );
  });

  it('stays one query value, alone and within text', async () => {
    const query = { b: 'x {{value}} y', c: '{{value}}', d: '1' };
    const send = await prepare((origin) => ({ url: `${origin}/q?a={{value}}`, query }));
    await fc.assert(
      fc.asyncProperty(text, (value) =>
        check(send, value, {
          view: ({ target }) => {
            const { pathname, hash, searchParams } = new URL(target, 'http://h');
            return [pathname, hash, ...searchParams];
          },
          is: isText(value) ? ['/q', '', ['a', value], ['b', `x ${value} y`], ['c', value], ['d', '1']] : 'refused',
        }),
      ),
      RUNS,
    );
  });

  it('stays one header, or is refused', async () => {
    const send = await prepare((origin) => ({ url: origin, headers: { 'X-Value': 'v={{value}};', 'X-Next': '1' } }));
    const character = fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code));
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.string({ unit: character })), (value) =>
        check(send, value, {
          view: ({ headers }) => ({ ...headers, host: 'h' }),
          // oxlint-disable-next-line no-control-regex -- what a header may hold
          is: /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
            ? {
                host: 'h',
                'x-value': `v=${value};`,
                'x-next': '1',
                connection: 'keep-alive',
                'accept-encoding': 'gzip, deflate, br, zstd',
                'user-agent': expect.stringMatching(/^pegboard\//),
              }
            : 'refused',
        }),
      ),
      RUNS,
    );
  });

  it('stays one JSON value of every type', async () => {
    const body = { alone: '{{value}}', text: 'x {{value}}', list: ['{{value}}'], z: 1 };
    const send = await prepare((origin) => ({ url: origin, method: 'POST', body }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.jsonValue()), (given) => {
        // JSON has no minus zero, and null counts as missing inside text.
        const value: unknown = JSON.parse(JSON.stringify(given)) ?? 0;
        return check(send, value, {
          view: ({ body }) => JSON.parse(body.toString()),
          is: {
            alone: value,
            text: `x ${typeof value === 'string' ? value : JSON.stringify(value)}`,
            list: [value],
            z: 1,
          },
        });
      }),
      { numRuns: 300 },
    );
  });

  it('stays one field of a form', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = { a: '{{value}}', b: '1' };
    const send = await prepare((origin) => ({ url: origin, method: 'POST', headers, body }));
    await fc.assert(
      fc.asyncProperty(text, (value) =>
        check(send, value, {
          view: ({ body }) => [...new URLSearchParams(body.toString())],
          is: isText(value)
            ? [
                ['a', value],
                ['b', '1'],
              ]
            : 'refused',
        }),
      ),
      RUNS,
    );
  });

  it('is the text itself in a text body', async () => {
    const send = await prepare((origin) => ({ url: origin, method: 'POST', body: '<{{value}}>' }));
    await fc.assert(
      fc.asyncProperty(text, (value) =>
        check(send, value, { view: ({ body }) => body.toString(), is: isText(value) ? `<${value}>` : 'refused' }),
      ),
      RUNS,
    );
  });
});
