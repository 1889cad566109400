import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Board, ConfigError, openBoard } from '../../index.ts';
import { formatCallResult } from '../../mcp/server/call-result.ts';
import { needs } from '../../../test/needs.test-helper.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-command-result-')));
// The board's data must not be in the folder that its commands walk.
const folder = join(top, 'board');
mkdirSync(folder);
afterAll(() => rmSync(top, { recursive: true }));

/** Opens a board with one tool `t`, by default of the kind `cli`. */
async function open(keys: string, head = ''): Promise<Board> {
  const file = join(folder, 'pegboard.yaml');
  const type = keys.includes('commands:') ? 'run' : 'cli';
  writeFileSync(file, `${head}tools:\n  - name: t\n    type: ${type}\n    description: T\n    risk: read\n${keys}`);
  const board = await openBoard({ files: file, cwd: folder, data: join(top, 'data') });
  onTestFinished(() => board.close());
  return board;
}

async function faultOf(keys: string): Promise<string> {
  const error: unknown = await open(keys).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('It opened.');
  return error.message;
}

describe('exit codes', () => {
  const CODES = `
    exit_codes: { 0: all is well, 1: nothing matches, 2: { error: the pattern is wrong }, 75: { error: busy, retry: true } }`;
  const EXIT = `
    command: [sh, -c, "echo out; echo problem >&2; exit $1", _]
    args: [{ name: code, type: integer, positional: true, required: true }]${CODES}
`;

  it('have a meaning, and may be failures', async () => {
    const board = await open(EXIT);
    expect(await board.call('t', { code: 0 })).toMatchObject({ ok: true, text: 'out\n\n[exit code 0: all is well]' });
    expect(await board.call('t', { code: 1 })).toMatchObject({
      ok: true,
      text: 'out\n\n[exit code 1: nothing matches]',
    });
    const failed = await board.call('t', { code: 2 });
    expect(failed.text).toBe('out\n\n[stderr]\nproblem\n\n[exit code 2: the pattern is wrong]');
    expect(failed.error).toMatchObject({ code: 'execution_failed', recoverable: false });
    const unknown = await board.call('t', { code: 3 });
    expect(unknown.text).toBe('out\n\n[stderr]\nproblem\n\n[exit code: 3]');
    expect(unknown.error).toMatchObject({ code: 'execution_failed', recoverable: false });
  });

  it('mark failures that may be retried', async () => {
    const board = await open(`    retries: 1${EXIT}`);
    const busy = await board.call('t', { code: 75 });
    expect(busy.error).toMatchObject({ code: 'execution_failed', recoverable: true });
    expect(busy.meta.attempts).toBe(2);
    expect((await board.call('t', { code: 2 })).meta.attempts).toBe(1);
  });

  it('apply to each of several commands', async () => {
    const board = await open(`
    schema: { properties: { code: { type: integer } }, required: [code] }
    commands:
      - { cmd: echo, args: [first] }
      - { cmd: sh, args: [-c, "exit $1", _, "{{code}}"] }
      - { cmd: echo, args: [last] }${CODES}
`);
    expect((await board.call('t', { code: 1 })).text).toContain('[exit code 1: nothing matches]');
    const busy = await board.call('t', { code: 75 });
    expect(busy.text).toContain('first');
    expect(busy.text).not.toContain('last');
    expect(busy.error).toMatchObject({ code: 'execution_failed', recoverable: true });
  });

  it('that no command has are reported with their position', async () => {
    const keys = '    command: ls\n    exit_codes: { 300: much, 1: one, 007: spy }\n';
    expect(await faultOf(keys)).toMatch(
      /pegboard\.yaml:7:\d+ tools\[0\]\.exit_codes.*no command exits with "300"\. Use 0 to 255\./,
    );
  });
});

describe('output as data', () => {
  const print = (text: string, output: string, rest = ''): string => `
    command: [printf, "%s"]
    args: [{ name: text, positional: true, default: ${JSON.stringify(text)} }]
    output: ${output}
${rest}`;
  const dataOf = async (text: string, output: string): Promise<unknown> =>
    (await (await open(print(text, output))).call('t')).data;

  it('has each line, and leaves the text unchanged', async () => {
    const board = await open(print('a\n\nb\r\n', 'lines'));
    expect(await board.call('t')).toMatchObject({ ok: true, text: 'a\n\nb\r\n', data: { lines: ['a', '', 'b'] } });
    expect(await dataOf('', 'lines')).toEqual({ lines: [] });
    expect(await dataOf('a\nb\nc', '{ type: lines, max_rows: 2 }')).toEqual({ lines: ['a', 'b'], truncated: true });
  });

  it('has a JSON value of each line, and fails with an invalid line', async () => {
    expect(await dataOf('{"a":1}\n\n[2]\n', 'jsonl')).toEqual({ rows: [{ a: 1 }, [2]] });
    const board = await open(print('{"a":1}\noops\n', 'jsonl'));
    const { error } = await board.call('t');
    expect(error).toMatchObject({
      code: 'execution_failed',
      message: 'The command should have printed a JSON value on each line but printed something else: oops',
    });
  });

  it('has the rows of a table with aligned columns', async () => {
    const docker =
      'CONTAINER ID   IMAGE          COMMAND                  STATUS         PORTS     NAMES\n' +
      '3f1d2c4b5a69   alpine:3.20    "sleep 1d"               Up 2 hours               calm_fox\n' +
      '8a7b6c5d4e3f   postgres:17    "docker-entrypoint.s…"   Up 2 hours     5432/tcp  db\n';
    expect(await dataOf(docker, 'table')).toEqual({
      rows: [
        {
          'CONTAINER ID': '3f1d2c4b5a69',
          IMAGE: 'alpine:3.20',
          COMMAND: '"sleep 1d"',
          STATUS: 'Up 2 hours',
          PORTS: '',
          NAMES: 'calm_fox',
        },
        {
          'CONTAINER ID': '8a7b6c5d4e3f',
          IMAGE: 'postgres:17',
          COMMAND: '"docker-entrypoint.s…"',
          STATUS: 'Up 2 hours',
          PORTS: '5432/tcp',
          NAMES: 'db',
        },
      ],
    });
    const df =
      'Filesystem      Size  Used Avail Use% Mounted on\n' +
      'tmpfs            24G     0   24G   0% /\n' +
      '/dev/vda        252G   27G   76G  27% /\n';
    expect(await dataOf(df, 'table')).toMatchObject({
      rows: [
        { Filesystem: 'tmpfs', Size: '24G', Used: '0', Avail: '24G', 'Use%': '0%', 'Mounted on': '/' },
        { Filesystem: '/dev/vda', 'Mounted on': '/' },
      ],
    });
    const pods =
      'NAME    READY   NOMINATED NODE   READINESS GATES\nweb-1   1/1     <none>           <none>\nweb-2   0/1     <none>           <none>\n';
    expect(await dataOf(pods, 'table')).toMatchObject({
      rows: [
        { NAME: 'web-1', READY: '1/1', 'NOMINATED NODE': '<none>', 'READINESS GATES': '<none>' },
        { NAME: 'web-2' },
      ],
    });
    const pushed = 'USER   PID    VSZ  COMMAND\nroot     1     12  init --a b\npostgres_long 4242424242 7  pg -D x\n';
    expect(await dataOf(pushed, 'table')).toEqual({
      rows: [
        { USER: 'root', PID: '1', VSZ: '12', COMMAND: 'init --a b' },
        { USER: 'postgres_long', PID: '4242424242', VSZ: '7', COMMAND: 'pg -D x' },
      ],
    });
    expect(await dataOf('NAME   AGE\n', 'table')).toEqual({ rows: [] });
    expect(await dataOf('', 'table')).toEqual({ rows: [] });
  });

  it('has the rows of what df and ps print here', needs('ps'), async () => {
    const df = await open('    command: df\n    output: table\n');
    const { data } = await df.call('t');
    const { rows } = data as { rows: Record<string, string>[] };
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row['Mounted on']).toMatch(/^\//);
    const ps = await open('    command: [ps, -eo, "pid,user,rss,args"]\n    output: table\n');
    const processes = (await ps.call('t')).data as { rows: Record<string, string>[] };
    expect(processes.rows.map(({ PID }) => Number(PID))).toContain(process.pid);
  });

  it('has cells between separators, also in quotes, with given names', async () => {
    const csv = 'name,note,name\n"Ada, L.","said ""hi""\nand left",x\n';
    expect(await dataOf(csv, '{ type: table, separator: "," }')).toEqual({
      rows: [{ name: 'Ada, L.', note: 'said "hi"\nand left', name_2: 'x' }],
    });
    expect(await dataOf(' id | name \n----+------\n  1 | Ada\n', '{ type: table, separator: "|" }')).toEqual({
      rows: [{ id: '1', name: 'Ada' }],
    });
    expect(await dataOf('root:x:0\n', '{ type: table, separator: ":", columns: [user, password, uid] }')).toEqual({
      rows: [{ user: 'root', password: 'x', uid: '0' }],
    });
    expect(await dataOf('a\tb\n1\t\n', 'table')).toEqual({ rows: [{ a: '1', b: '' }] });
    expect(await dataOf('4 dir/a b.txt\n', '{ type: table, columns: [size, name] }')).toEqual({
      rows: [{ size: '4', name: 'dir/a b.txt' }],
    });
  });

  it('accepts a name such as __proto__, and limits text that is not a table', async () => {
    const { rows } = (await dataOf('__proto__   constructor\na           b\n', 'table')) as { rows: object[] };
    expect(Object.entries(rows[0] ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    const wide = await open(`
    command: [node, -e, "console.log('a  '.repeat(100000)); for (let i = 0; i < 100000; i++) console.log('x')"]
    output: table
`);
    const { data } = await wide.call('t');
    expect(data).toMatchObject({ truncated: true });
    expect(JSON.stringify(data).length).toBeLessThan(5_000_000);
  });

  it('has the complete rows of a cut output, and says so', async () => {
    const board = await open(`
    command: [seq, "-f", "row-%06g", "1", "100000"]
    max_output: 5000
    output: { type: lines, max_rows: 100000 }
`);
    const { text, data } = await board.call('t');
    const { lines, truncated } = data as { lines: string[]; truncated: boolean };
    expect(truncated).toBe(true);
    expect(lines.every((line) => /^row-\d{6}$/.test(line))).toBe(true);
    expect(text).toContain('bytes left out here; read it with output_read');
  });

  it('contains no part of a secret, however it is split into cells', async () => {
    const file = join(folder, 'secret.yaml');
    writeFileSync(
      file,
      `env: { DB_PASSWORD: "horse,battery,staple" }
tools:
  - { name: t, type: cli, description: T, command: [sh, -c, 'echo "user,password"; echo "ada,$DB_PASSWORD"'], output: { type: table, separator: "," } }
`,
    );
    const board = await openBoard({ files: file, cwd: folder, data: join(top, 'data') });
    onTestFinished(() => board.close());
    const result = await board.call('t');
    expect(result.data).toEqual({ rows: [{ user: 'ada', password: '[redacted]' }] });
    expect(JSON.stringify(result)).not.toMatch(/horse|battery|staple/);
  });

  it('always matches its output schema', async () => {
    const board = await open(print('a  b\n1  2\n', 'table', '    exit_codes: { 1: none }\n'));
    expect(board.registry.get('t')?.outputSchema).toMatchObject({ type: 'object', required: ['rows'] });
    expect((await open(print('1', 'json'))).registry.get('t')?.outputSchema).toBeUndefined();
    const schema = '{ type: json, schema: { type: object, properties: { a: { type: integer } } } }';
    expect((await open(print('{"a":1}', schema))).registry.get('t')?.outputSchema).toMatchObject({
      properties: { a: { type: 'integer' } },
    });
  });

  it('is no failure for a successful exit code without output', async () => {
    const none = (output: string): string => `
    command: [sh, -c, "exit 1"]
    output: ${output}
    exit_codes: { 1: nothing matches }
`;
    const told = { ok: true, text: '[exit code 1: nothing matches]' };
    expect(await (await open(none('json'))).call('t')).toMatchObject({ ...told, data: undefined });
    expect(await (await open(none('lines'))).call('t')).toMatchObject({ ...told, data: { lines: [] } });
    expect(await (await open(none('table'))).call('t')).toMatchObject({ ...told, data: { rows: [] } });
  });

  it('is what the last of several commands prints', async () => {
    const board = await open(`
    schema: { properties: { skip: { type: boolean } } }
    commands:
      - { cmd: echo, args: [working], when: "{{skip:-yes}}" }
      - { cmd: echo, args: ['{"a":1}'], when: "{{skip:-yes}}" }
    output: json
`);
    expect(await board.call('t')).toMatchObject({ ok: true, text: 'working\n{"a":1}', data: { a: 1 } });
    const lines = await open(`
    schema: { properties: { go: { type: boolean } } }
    commands: [{ cmd: echo, args: [x], when: "{{go}}" }, { cmd: "true", when: "{{go}}" }]
    output: lines
`);
    expect(await lines.call('t', { go: true })).toMatchObject({ text: 'x', data: { lines: [] } });
    expect(await lines.call('t', { go: false })).toMatchObject({ ok: true, data: { lines: [] } });
  });

  it('is structured content for MCP clients, JSON without a schema too', async () => {
    const structured = async (json: string): Promise<unknown> => {
      const board = await open(`    command: [echo, '${json}']\n    output: json\n`);
      const answer = formatCallResult(await board.call('t'), { readsOutputs: true });
      // The answer as a client reads it.
      const read = JSON.parse(typeof answer === 'string' ? answer : '{}') as { readonly structuredContent?: unknown };
      return read.structuredContent;
    };
    expect(await structured('{"a":1}')).toEqual({ a: 1 });
    expect(await structured('[1,2]')).toEqual({ result: [1, 2] });
    expect(await structured('7')).toEqual({ result: 7 });
  });

  it('rejects keys that do not fit its type, with their position', async () => {
    const keys = '    command: ls\n    output: { type: lines, separator: "," }\n';
    expect(await faultOf(keys)).toMatch(/pegboard\.yaml:7:\d+ tools\[0\]\.output\.separator: is for type: table\./);
    expect(await faultOf('    command: ls\n    output: { type: json, schema: { type: array } }\n')).toContain(
      'tools[0].output.schema: must be an object: write type: object.',
    );
  });
});
