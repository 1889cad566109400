import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBoard, type ImportedBoard, type RootedCall } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  ['curl https://example.com/a', 'curl', { url: ['https://example.com/a'] }],
  ['curl --head https://example.com/a', 'curl', { head: true, url: ['https://example.com/a'] }],
  [
    'curl --show-error --silent https://example.com/a',
    'curl',
    { silent: true, show_error: true, url: ['https://example.com/a'] },
  ],
  [
    'curl --fail --location https://example.com/a',
    'curl',
    { fail: true, location: true, url: ['https://example.com/a'] },
  ],
  [
    "curl --header 'Accept: application/json' --header 'X-Trace: 1' https://example.com/a",
    'curl',
    { header: ['Accept: application/json', 'X-Trace: 1'], url: ['https://example.com/a'] },
  ],
  [
    "curl --data '{\"a\": 1}' --header 'Content-Type: application/json' --request PUT https://example.com/a",
    'curl',
    { request: 'PUT', header: ['Content-Type: application/json'], data: ['{"a": 1}'], url: ['https://example.com/a'] },
  ],
  [
    'curl --data a=1 --data b=2 https://example.com/a',
    'curl',
    { data: ['a=1', 'b=2'], url: ['https://example.com/a'] },
  ],
  [
    "curl --data-urlencode 'q=x y' --get https://example.com/a",
    'curl',
    { get: true, data_urlencode: ['q=x y'], url: ['https://example.com/a'] },
  ],
  [
    'curl --data-binary @body.bin https://example.com/a',
    'curl',
    { data_binary: ['@body.bin'], url: ['https://example.com/a'] },
  ],
  [
    'curl --form file=@a.txt --form name=Ada https://example.com/a',
    'curl',
    { form: ['file=@a.txt', 'name=Ada'], url: ['https://example.com/a'] },
  ],
  ['curl --output a.html https://example.com/a', 'curl', { output: ['a.html'], url: ['https://example.com/a'] }],
  [
    'curl --remote-name-all https://example.com/a https://example.com/a/b',
    'curl',
    { remote_name_all: true, url: ['https://example.com/a', 'https://example.com/a/b'] },
  ],
  ['curl --request DELETE https://example.com/a', 'curl', { request: 'DELETE', url: ['https://example.com/a'] }],
  ['curl --user ada:secret https://example.com/a', 'curl', { user: 'ada:secret', url: ['https://example.com/a'] }],
  ["curl --cookie 'a=1; b=2' https://example.com/a", 'curl', { cookie: ['a=1; b=2'], url: ['https://example.com/a'] }],
  [
    'curl --max-time 10 --retry 3 https://example.com/a',
    'curl',
    { max_time: '10', retry: 3, url: ['https://example.com/a'] },
  ],
  [
    'curl --insecure --verbose https://example.com/a',
    'curl',
    { insecure: true, verbose: true, url: ['https://example.com/a'] },
  ],
  [
    'curl --proxy http://127.0.0.1:3128 https://example.com/a',
    'curl',
    { proxy: 'http://127.0.0.1:3128', url: ['https://example.com/a'] },
  ],
  [
    'curl --resolve example.com:443:127.0.0.1 https://example.com/a',
    'curl',
    { resolve: ['example.com:443:127.0.0.1'], url: ['https://example.com/a'] },
  ],
  [
    'curl --upload-file a.txt https://example.com/a',
    'curl',
    { upload_file: ['a.txt'], url: ['https://example.com/a'] },
  ],
  [
    "curl --silent --write-out '%{http_code}' https://example.com/a",
    'curl',
    { silent: true, write_out: '%{http_code}', url: ['https://example.com/a'] },
  ],
  ['curl --range 0-99 https://example.com/a', 'curl', { range: '0-99', url: ['https://example.com/a'] }],
];

/** The beginning of every imported call of curl. */
const QUIET = 'curl --silent --show-error';

describe('import of curl', needs('curl', 'curl-manual'), () => {
  let imported: ImportedBoard;
  let server: Server;
  beforeAll(async () => {
    imported = await importBoard(['curl']);
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const trace = request.headers['x-trace'];
        response.end(`${request.method} ${request.url} ${String(trace)} ${Buffer.concat(chunks).toString()}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }, 600_000);
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await imported.close();
  });

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await imported.lineOf(tool, input)).toBe(line.replace('curl', QUIET));
  });

  it('holds what is of this machine to the roots of a policy, and lets pass what is not', async () => {
    const allowed: RootedCall[] = [
      [
        'curl',
        { url: ['https://example.com/{a,b}'], data: ['{"a": "/etc"}', '@x'], form: ['a=b', 'a=@x'], header: ['A: /b'] },
      ],
    ];
    const outside: RootedCall[] = [
      ['curl', { url: ['file:///etc/passwd'] }],
      ['curl', { url: ['fil{e}:///etc/passwd'] }],
      ['curl', { url: ['https://h'], data: ['@/etc/passwd'] }],
      ['curl', { url: ['https://h'], form: ['a=@/etc/passwd'] }],
      ['curl', { url: ['https://h'], upload_file: ['/etc/passwd'] }],
      ['curl', { url: ['https://h'], config: ['/etc/x'] }],
      ['curl', { url: ['https://h'], header: ['@/etc/passwd'] }],
    ];
    expect(await imported.refused([...allowed, ...outside])).toEqual(outside);
  });

  it('asks a server', async () => {
    const { port } = server.address() as AddressInfo;
    const result = await imported.board.call('curl', {
      request: 'PUT',
      header: ['X-Trace: 7', 'Content-Type: text/plain'],
      data: ['hello'],
      url: [`http://127.0.0.1:${port}/a`],
    });
    // No progress meter beside the answer; what went wrong is told all the same.
    expect(result).toMatchObject({ ok: true, text: 'PUT /a 7 hello' });
    const failed = await imported.board.call('curl', { url: ['http://127.0.0.1:1/'] });
    expect(failed.error?.message).toContain('curl: (7) Failed to connect');
  });

  it('only reads, until an argument sends or stores something; and never reads files of this machine', async () => {
    const args = imported.tools[0]?.args ?? [];
    expect(imported.tools[0]?.risk).toBe('read');
    const risky = args.filter(({ risk }) => risk === 'destructive').map(({ name }) => name);
    const asking = 'data data_raw data_binary data_urlencode form form_string json upload_file append quote';
    const storing = 'output output_dir remote_name dump_header cookie_jar trace trace_ascii libcurl stderr etag_save';
    expect(risky).toEqual(expect.arrayContaining([...asking.split(' '), ...storing.split(' '), 'config', 'proto']));
    const method = { GET: 'read', HEAD: 'read', '*': 'destructive' };
    expect(args.find(({ name }) => name === 'request')?.risk).toEqual(method);
    const reading = 'header location silent show_error user user_agent cookie get head max_time compressed include';
    expect(risky.filter((name) => reading.split(' ').includes(name))).toEqual([]);
    const refused = [
      { url: ['file:///etc/passwd'] },
      { url: ['{https://example.com/,file:///etc/passwd}'] },
      { url: ['gopher://127.0.0.1:6379/_x'] },
      { url_option: ['FILE:/etc/passwd'], url: ['https://example.com/'] },
      { header: ['@/etc/passwd'], url: ['https://example.com/'] },
      { write_out: '%output{/tmp/x}y', url: ['https://example.com/'] },
    ];
    const codes = await Promise.all(
      refused.map(async (input) => (await imported.board.call('curl', input)).error?.code ?? input),
    );
    expect(codes).toEqual(refused.map(() => 'invalid_arguments'));
    expect(await imported.lineOf('curl', { url: ['localhost:8080/a?b=c:d'] })).toBe(
      `${QUIET} 'localhost:8080/a?b=c:d'`,
    );
  });
});

describe('import of curl from its help alone', needs('curl'), () => {
  it('knows its options, and that headers may be several', async () => {
    const imported = await importBoard(['curl'], { manual: [] });
    expect(
      await imported.lineOf('curl', {
        header: ['A: 1', 'B: 2'],
        request: 'POST',
        silent: true,
        url: 'https://example.com/a',
      }),
    ).toBe(`${QUIET} --header 'A: 1' --header 'B: 2' --request POST --silent https://example.com/a`);
    await imported.close();
  });
});
