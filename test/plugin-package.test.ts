// A plugin of others: packed, installed beside the packed Pegboard, and used from YAML, from code and on the command line.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPacked, installPegboard } from './packed.test-helper.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-plugin-'));

const BOARD = `plugins: [pegboard-sql]
rag: { servers: { default: { driver: table, endpoint_url: notes.db } }, collections: { notes: {} } }
tools:
  - name: find_cake
    type: sql
    description: Find cakes by their name.
    database: bakery.db
    query: SELECT name, price FROM cakes WHERE name LIKE :name ORDER BY name
    params: { name: string }
    rows: 2
  - { name: notes, type: rag, description: Notes of the bakery, collection: notes }
`;

beforeAll(() => {
  installPegboard(folder);
  installPacked('pegboard-sql', join(root, 'examples/plugin-sql'), folder);
  write('package.json', '{ "type": "module" }');
  write('pegboard.yaml', BOARD);
  const database = new DatabaseSync(join(folder, 'bakery.db'));
  database.exec(`CREATE TABLE cakes (name TEXT, price REAL);
    INSERT INTO cakes VALUES ('Apple', 12.5), ('Bundt', 9), ('Carrot', 14);`);
  database.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** Runs the installed command, and gives its exit code and what it printed. */
function run(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const cli = join(folder, 'node_modules/pegboard/dist/cli.js');
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_STATE_HOME: process.env['XDG_STATE_HOME'],
    NODE_NO_WARNINGS: '1',
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

/** Prints what code of the folder gives, as JSON. */
function runCode(code: string, at = folder): unknown {
  const args = ['--no-warnings', '--input-type=module', '-e', code];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: at, encoding: 'utf8' }));
}

describe('an installed plugin', () => {
  it('brings its kind to the command line', () => {
    expect(run('trust').stdout).toBe('plugin  pegboard-sql\nTrusted: this folder\n');
    expect(run('validate').code).toBe(0);
    expect(run('list').stdout).toContain('find_cake\tpegboard\tread\tFind cakes by their name.\n');
    expect(run('show', 'find_cake').stdout).toMatch(
      /kind +sql\nrisk +read\ntimeout +30 s \(default\)\ndatabase +.*bakery\.db, read only\nquery +SELECT name, price .*\nrows +2 at most\n/,
    );
    expect(run('call', 'find_cake', '--arg', 'name=%').stdout).toBe(
      '{"name":"Apple","price":12.5}\n{"name":"Bundt","price":9}\nThere are more rows. These are the first 2: ask for fewer.\n',
    );
    expect(run('call', 'find_cake', '--arg', 'name=B%', '--dry-run').stdout).toBe(
      `find_cake\nquery ${join(folder, 'bakery.db')}\nquery: "SELECT name, price FROM cakes WHERE name LIKE :name ORDER BY name"\nparameters: {"name":"B%"}\n`,
    );
    expect(run('doctor').stdout).toMatch(/^ok +database +bakery\.db +answers \(find_cake\)$/m);
  });

  it('has its kind in the schema, for editors', () => {
    const schema: unknown = JSON.parse(run('schema').stdout);
    expect(JSON.stringify(schema)).toContain('"A SQLite file, relative to this one"');
  });

  it('checks entries of its kind, with places', () => {
    write('broken.yaml', BOARD.replace('params: { name: string }', 'params: { names: string }'));
    const { code, stderr, stdout } = run('validate', 'broken.yaml');
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain(
      'broken.yaml:8:12 tools[0].query: has a parameter :name that params does not describe.',
    );
  });

  it('brings its exporter and its store', () => {
    const exported: unknown = JSON.parse(run('export', '--format', 'ollama').stdout);
    expect(exported).toContainEqual({
      type: 'function',
      function: {
        name: 'find_cake',
        description: 'Find cakes by their name.',
        parameters: {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
          additionalProperties: false,
        },
      },
    });
    expect(run('call', 'notes-store', '--arg', 'content=The oven is hot.').code).toBe(0);
    expect(run('call', 'notes-search', '--arg', 'query=ovens').stdout).toContain('The oven is hot.');
    expect(existsSync(join(folder, 'notes.db'))).toBe(true);
  });

  it('is taken by openBoard, from files and from code', () => {
    const code = (options: string): string => `
      import { openBoard } from 'pegboard';
      import plugin, { sql } from 'pegboard-sql';
      const board = await openBoard(${options});
      const { text } = await board.call('find_cake', { name: 'B%' });
      console.log(JSON.stringify([text, board.plugins.flatMap(({ kinds = [] }) => kinds.map(({ type }) => type))]));
      await board.close();`;
    const row = '{"name":"Bundt","price":9}';
    expect(runCode(code(`{ files: 'pegboard.yaml' }`))).toEqual([row, ['sql']]);
    write(
      'plain.yaml',
      BOARD.replace('plugins: [pegboard-sql]\n', '')
        .replace(/rag: .*\n/, '')
        .replace(/ {2}- \{ name: notes.*\n/, ''),
    );
    expect(runCode(code(`{ files: 'plain.yaml', plugins: [plugin] }`))).toEqual([row, ['sql']]);
    expect(runCode(code(`{ files: 'plain.yaml', kinds: [sql] }`))).toEqual([row, ['sql']]);
    // The same plugin twice is one plugin.
    expect(runCode(code(`{ files: 'pegboard.yaml', plugins: [plugin] }`))).toEqual([row, ['sql']]);
  });

  it('passes the public contracts in its own tests', () => {
    const own = join(folder, 'node_modules/pegboard-sql');
    cpSync(join(root, 'examples/plugin-sql/test'), join(own, 'test'), { recursive: true });
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', '--test'], {
      cwd: own,
      encoding: 'utf8',
    });
    const failures = `${stdout}${stderr}`.split('failing tests:')[1] ?? '';
    expect({ status, failures }).toEqual({ status: 0, failures: '' });
    rmSync(join(own, 'test'), { recursive: true });
  });

  it('has types that hold, in a strict project', () => {
    cpSync(join(root, 'examples/plugin-sql'), join(folder, 'checked'), { recursive: true });
    const tsc = join(root, 'node_modules/.bin/tsc');
    const flags = [
      '--allowJs',
      '--checkJs',
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
    ];
    const files = ['checked/src/index.js', 'checked/test/plugin.test.js'];
    const { stdout } = spawnSync(tsc, [...flags, ...files], { cwd: folder, encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});

describe('a plugin that is a file', () => {
  const SQL = `import { DatabaseSync } from 'node:sqlite';
import { defineKind, definePlugin, defineTool } from 'pegboard';
const count: string = 'SELECT count(*) AS n FROM ';
export default definePlugin({
  kinds: [
    defineKind({
      type: 'count',
      schema: { type: 'object', properties: { database: { type: 'string' }, table: { type: 'string' } }, required: ['database', 'table'] },
      paths: ['database'],
      tools: ({ metadata, settings }) => [
        defineTool({
          ...metadata,
          schema: { type: 'object' },
          execute: () => String(new DatabaseSync(settings.database, { readOnly: true }).prepare(count + settings.table).get()?.n),
        }),
      ],
    }),
  ],
});
`;

  it('is loaded unbuilt, relative to the file that names it', () => {
    write('boards/plugins/sql.ts', SQL);
    const board =
      'plugins: [./plugins/sql.ts]\ntools: [{ name: cakes, type: count, description: Count cakes, database: ../bakery.db, table: cakes }]\n';
    write('boards/pegboard.yaml', board);
    expect(run('call', 'cakes', '--file', 'boards/pegboard.yaml')).toEqual({ code: 0, stdout: '3\n', stderr: '' });
  });
});

describe('a plugin that cannot be used', () => {
  const told = (plugin: string): string => {
    write('faulty.yaml', `plugins: [${plugin}]\n`);
    const { code, stderr, stdout } = run('validate', 'faulty.yaml');
    expect(code).toBe(1);
    return `${stdout}${stderr}`;
  };

  it.each([
    [
      'pegboard-nothing',
      () => {},
      `it is not installed. Run npm install pegboard-nothing in ${folder}, or write a path that begins with ./`,
    ],
    ['./none.ts', () => {}, `there is no file ${join(folder, 'none.ts')}.`],
    [
      './empty.ts',
      () => write('empty.ts', 'export const nothing = 1;\n'),
      'it exports no plugin. Write export default definePlugin({ kinds: […] }).',
    ],
    [
      './twice.ts',
      () =>
        write(
          'twice.ts',
          `import { defineKind, definePlugin } from 'pegboard';\nexport default definePlugin({ kinds: [defineKind({ type: 'cli', schema: { type: 'object' }, tools: () => [] })] });\n`,
        ),
      'it has a kind "cli", but there is one of that type already. Rename one, or leave out one of the plugins.',
    ],
    [
      './typo.ts',
      () => write('typo.ts', '// a plugin\nexport const x = ;\n'),
      `${join(folder, 'typo.ts')}:2: Expression expected.`,
    ],
    ['./throws.ts', () => write('throws.ts', `throw new Error('no license');\n`), 'no license.'],
  ])('says what is wrong with %s', (plugin, prepare, message) => {
    prepare();
    expect(told(plugin)).toContain(`faulty.yaml:1:11 plugins[0]: the plugin "${plugin}" cannot be used: ${message}`);
  });
});

describe('the lock', () => {
  const own = 'node_modules/pegboard-sql/src/sql.js';
  const change = (): void =>
    write(own, `${readFileSync(join(folder, own), 'utf8')}\nglobalThis.process.stderr.write('changed code ran\\n');\n`);
  const board = (mode: string): void => write('pegboard.yaml', `lock: ${mode}\n${BOARD}`);

  it('has the code of plugins, tells when it changed, and under deny does not run it', () => {
    board('warn');
    expect(run('lock').code).toBe(0);
    const { plugins } = JSON.parse(readFileSync(join(folder, 'pegboard.lock'), 'utf8')) as { plugins: unknown };
    expect(plugins).toEqual({ 'pegboard-sql': expect.stringMatching(/^sha256-[\w-]{43}$/) });
    expect(run('lock', '--check')).toMatchObject({ code: 0, stderr: '' });
    board('deny');
    expect(run('call', 'find_cake', '--arg', 'name=B%')).toMatchObject({ code: 0, stderr: '' });
    change();
    const denied = run('call', 'find_cake', '--arg', 'name=B%');
    expect(denied.code).toBe(1);
    expect(denied.stderr).toContain(
      'pegboard.yaml:2:11 plugins[0]: the plugin "pegboard-sql" cannot be used: it changed since pegboard.lock was written, and lock is deny. Look at its code, then run pegboard lock.',
    );
    for (const command of ['list', 'doctor', 'validate', 'schema']) {
      const { stdout, stderr } = run(command);
      expect(`${stdout}${stderr}`).toContain('it changed since pegboard.lock was written');
      expect(stderr).not.toContain('changed code ran');
    }
    board('warn');
    const warned = run('call', 'find_cake', '--arg', 'name=B%');
    expect(warned.code).toBe(0);
    expect(warned.stderr).toContain('"plugin pegboard-sql" (code) changed.');
    expect(run('validate').stdout).toMatch(/"plugin pegboard-sql" \(code\) changed:\n +code: sha256-\S+ → sha256-/);
    expect(run('lock', '--check').code).toBe(1);
    expect(run('lock').code).toBe(0);
    board('deny');
    expect(run('call', 'find_cake', '--arg', 'name=B%').code).toBe(0);
  });

  it('asks a person under approve, before the code runs', () => {
    board('approve');
    change();
    const open = (answer: boolean): string => `
      import { openBoard } from 'pegboard';
      const asked = [];
      const said = await openBoard('pegboard.yaml', {
        approveChanges: (changes) => { asked.push(...changes.map(({ type, name }) => type + ' ' + name)); return ${answer}; },
      }).then(async (board) => { await board.close(); return 'opened'; }, (error) => error.message);
      console.log(JSON.stringify([asked, said]));`;
    expect(runCode(open(false))).toEqual([['changed plugin pegboard-sql'], expect.stringContaining('lock is approve')]);
    expect(runCode(open(true))).toEqual([['changed plugin pegboard-sql'], 'opened']);
    expect(runCode(open(false))).toEqual([[], 'opened']);
  });
});
