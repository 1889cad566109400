// Values that may be of another machine or of this one: what is of this one stays in the roots, in any guise.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Board, openBoard } from '../../src/index.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pegboard-forms-')));
let board: Board;

const FORMS = {
  url: 'url',
  s3: '{ form: url, schemes: [s3] }',
  address: 'address',
  host: 'host',
  git: '{ form: host, schemes: [https, ssh, git] }',
  rsync: '{ form: host, schemes: [rsync] }',
  container: 'container',
  volume: 'volume',
  mount: 'mount',
  package: 'package',
  at: 'at',
  field: 'field',
  file_url: 'file-url',
};

beforeAll(async () => {
  mkdirSync(join(folder, 'in/sub'), { recursive: true });
  mkdirSync(join(folder, 'out'));
  writeFileSync(join(folder, 'in/a.txt'), 'a');
  symlinkSync('../out', join(folder, 'in/link'));
  // A link whose name looks like something of another machine.
  symlinkSync('../out', join(folder, 'in/web:x'));
  symlinkSync('../out', join(folder, 'in/left-pad'));
  const tools = Object.entries(FORMS).map(
    ([name, path]) =>
      `  - { name: ${name}, type: cli, description: Say it, risk: read, working_dir: in, command: echo, separator: --, args: [{ name: value, type: array, positional: true, path: ${path} }] }\n`,
  );
  writeFileSync(
    join(folder, 'pegboard.yaml'),
    `tools:
${tools.join('')}
  - name: run
    type: cli
    description: Run
    risk: read
    working_dir: in
    command: echo
    args:
      - { name: label, type: object, path: field }
      - { name: sources, split: comma, positional: true, path: url }
policy: { roots: [in] }
`,
  );
  board = await openBoard(join(folder, 'pegboard.yaml'));
});
afterAll(async () => {
  await board.close();
  rmSync(folder, { recursive: true, force: true });
});

const PASS: Readonly<Record<keyof typeof FORMS, readonly string[]>> = {
  url: ['https://example.com/a?b=../c', 'http://example.com', 'a.txt', './sub', 'file:a.txt', 'new.yaml'],
  s3: ['s3://bucket/key', 's3://bucket/../key', './a.txt', '.'],
  address: ['https://example.com/{a,b}', 'http://[::1]/x', 'example.com', 'localhost:8080/health?a=b'],
  host: ['web:/etc/passwd', 'me@web.example:x', 'a.txt', './b:c', 'sub/x:y'],
  git: ['https://example.com/x.git', 'git@example.com:x/y.git', 'ssh://me@h/x', './sub', 'origin'],
  rsync: ['web::module/x', 'rsync://web/x', 'sub/'],
  container: ['web:/etc/passwd', 'shop/web-1:/tmp/x', '0123456789ab:/x', './a.txt', 'sub'],
  // A name is a volume's, also where a file has it.
  volume: ['data:/var/lib', 'link:/x', './sub:/x:ro', 'a.txt:/x', '/var/lib/data', '.:/x'],
  mount: ['type=volume,source=data,target=/x', 'type=bind,src=./sub,dst=/x,readonly', 'type=tmpfs,dst=/x', 'dst=/x'],
  package: [
    'zod',
    'zod@4',
    '@a/b@^1.2.0',
    'a@npm:b@2',
    'user/repo#main',
    'https://h/x.tgz',
    'git+ssh://git@h/x',
    './sub',
    'x@file:./sub',
    'github:a/b',
  ],
  at: ['{"a": "/etc/passwd"}', 'joe@example.com', '@a.txt', '@-', '/etc/passwd is no path here\nnor is this'],
  field: ['a=/etc/passwd', 'a=@a.txt;type=text/plain', 'a=<a.txt', 'text@a.txt', 'a=@-', 'plain', 'a=joe@example.com'],
  file_url: ['file://a.txt', 'fileb://sub/x.zip', '{"a": "file:///etc/passwd"}', '/etc/passwd', 'https://example.com'],
};

const OUT = join(folder, 'out/x');
const REFUSED: Readonly<Record<keyof typeof FORMS, readonly string[]>> = {
  url: [
    '/etc/passwd',
    '../out/x',
    'link/x',
    '~/x',
    'file:///etc/passwd',
    'FILE:///etc/passwd',
    'file://localhost/etc/passwd',

    'file:/etc/passwd',
    'file:../out',
    'file:///%65tc/passwd',
    `file://${folder}/in/..%2fout/x`,
    'https:/etc/passwd',

    'https:///etc/passwd',
    'HTTPS://../../etc',
    'ftp://h/x',
    '\\\\host\\..\\..\\x'.replaceAll('\\', '/'),
    ' file:///etc/passwd',
    `file://${folder}/in/x?/../../out/x`,
    `file://${folder}/in#/../../out`,
    'data=/etc/passwd',
    '@/etc/passwd',
  ],
  s3: [
    'S3://../../../etc/passwd',
    'https://../../../../etc/passwd',
    's3:../../../out',
    's3:/etc',
    '../out',
    's3:///etc',
  ],
  address: [
    'file:///etc/passwd',
    'fil{e}:///etc/passwd',
    '{https://h,file:///etc/passwd}',
    'file:/etc/passwd',
    '@/etc/passwd',

    'f[i-i]le:///etc/passwd',
    `file://${folder}/in/{../out/x,a}`,
    'File://localhost/etc/passwd',
    ' https://h',
  ],
  host: [
    '/etc/passwd:x',
    '../out:x',
    './../out',
    'localhost:/etc/passwd',
    'me@127.0.0.1:/etc',
    '[::1]:/etc/passwd',
    'me@[::1]:/x',

    'LOCALHOST:/x',
    '127.1:/x',
    '0:/x',
    '2130706433:/x',
    '0x7f000001:/x',
    'link/x:y',
    'web:x',
    'ext::sh -c id',
    '~/x',
    ':/etc/passwd/../../x',
  ],
  git: [
    'ext::sh -c id',
    'file:///etc',
    'https:///etc',
    'fd::3',
    'ssh://localhost/etc',
    'git://me@127.0.0.1/etc',
    'ssh://a@b@[::1]/etc',
    '../out',
    'web:x',
    'HTTPS://h/x',
    '/etc',
  ],
  rsync: ['localhost::etc', 'RSYNC://localhost/etc', '../out/'],
  container: [
    '/etc/passwd:x',
    './:x/../../../out',
    'C:../../../out',
    '//host/x',
    '../out',
    '../out:x',
    'a/b/../../../out:x',
    'web:x',
    'https://../../etc',
    ':../../../etc/passwd',
  ],
  volume: [
    '/etc:/x',
    '../out:/x:ro',
    './../out:/x',
    'link/x:/y',
    '~/x:/y',
    ':/x',
    '/:/host',
    '..:/x',
    'sub/../../out:/x',
    '/etc/passwd:x:ro',
  ],
  mount: [
    'type=bind,source=/etc,target=/x',
    'TYPE=BIND,SRC=../out,dst=/x',
    '"type=bind","source=/etc",dst=/x',
    'type=volume,src=/etc,dst=/x',

    'type=volume,dst=/x,volume-opt=type=none,volume-opt=o=bind,volume-opt=device=/etc',
    'type=bind,type=volume,src=/etc,dst=/x',

    'type=glob,src=/etc/*,dst=/x',
    'src=/etc,dst=/x',
    'type=bind,dst=/x',
    'type=bind,src=sub,src=/etc,dst=/x',
    ' type=bind, source=/etc,dst=/x',
  ],
  package: [
    '/etc',
    '../out',
    'x@file:../out',
    'x@../out',
    'file:/etc',
    'FILE:../out',
    'git+file:///etc',
    'x@npm:y@file:/etc',
    '/@npm:zod',
    '/x.tgz@https://h/x',
    '~/x',
    'left-pad',

    '../x.tgz',
    'link/x.tgz',
    'x@file:%2e%2e/out',
    'a/../../out',
    'file://localhost/etc',
    'npm:../../../out',
    '@a/../../../out',
    OUT,
  ],
  at: [
    '@/etc/passwd',
    '@../out/x',
    '@~/x',
    '@@/etc/passwd',
    '@ /etc/passwd',
    '@link/x',
    '@/proc/self/environ',
    '%{http_code}%output{/tmp/x}',
  ],
  field: [
    'a=@/etc/passwd',
    'a=</etc/passwd',
    'text@/etc/passwd',
    '@/etc/passwd',
    'a=@a.txt,/etc/passwd',
    'a=@"/etc/passwd"',
    'a=@a.txt;headers=@/etc/passwd',
    'a=@a.txt;headers="</etc/passwd"',
    '=@../out/x',
    'a=@\\/etc/passwd',
    'a=@~/x',
  ],
  file_url: [
    'file:///etc/passwd',
    'fileb:///etc/passwd',
    'FILE:///etc/passwd',
    'file://../out/x',
    'file://~/x',
    'file://$HOME/x',
    'file://link/x',
    'fileb://sub/$X/../..',
    'Key=a,Value@=file:///etc/passwd',
    'a={b @= fileb:///etc/x}',
  ],
};

describe.for(Object.keys(FORMS) as (keyof typeof FORMS)[])('path: %s', (form) => {
  it('passes on what is not of this machine, and what lies in the roots', async () => {
    for (const value of PASS[form]) {
      const result = await board.call(form, { value: ['a.txt', value].slice(form === 'address' ? 1 : 0) });
      expect([value, result.error?.message]).toEqual([value, undefined]);
      expect(result.text).toContain(value);
    }
  });

  it('refuses what leads out of the roots, and names the value', async () => {
    for (const value of REFUSED[form]) {
      const { error } = await board.call(form, { value: [value] });
      expect([value, error?.code, error?.issues[0]?.path]).toEqual([value, 'invalid_arguments', ['value', 0]]);
    }
  });
});

it('says what is wrong with a value', async () => {
  const messageOf = async (name: string, value: string): Promise<string | undefined> =>
    (await board.call(name, { value: [value] })).error?.issues[0]?.message;
  const got = (value: string): string => `; got ${JSON.stringify(value)}`;
  const allowed = 'must lie in an allowed folder ("in")';
  expect(await messageOf('volume', '/etc:/x')).toBe(`${allowed}${got('/etc:/x')}`);
  expect(await messageOf('address', './x')).toBe(
    `must be a whole address that begins with http:// or https://${got('./x')}`,
  );
  expect(await messageOf('host', 'localhost:/x')).toBe(
    `must not name this machine: write the path alone${got('localhost:/x')}`,
  );
});

it('reads the pairs of an object and the parts of a text as the command gets them', async () => {
  expect((await board.call('run', { label: { a: 'x', b: '@a.txt' }, sources: 'https://h/x,a.txt' })).ok).toBe(true);
  const { error } = await board.call('run', { label: { a: 'x', b: '@/etc/passwd' }, sources: 'https://h/x,/etc' });
  expect(error?.issues.map(({ path }) => path)).toEqual([['label', 'b'], ['sources']]);
});
