// The package as a user installs it: packed, unpacked elsewhere, type-checked and run without any optional library.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readZip } from '../src/platform/zip/read-zip.ts';
import { installPegboard } from './packed.test-helper.ts';
import { exportsOf, mentionsOf, undocumentedMembers } from './read-declarations.test-helper.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-package-'));
const modules = join(folder, 'node_modules');

beforeAll(() => {
  // Everything but the optional libraries.
  installPegboard(folder, new Set(['ai', 'langchain', '@ai-sdk', '@langchain', '@valibot', 'gpt-tokenizer']));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'notes/a.md'), '# Packed\n\nWhat was packed is found.\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CODE = `
import { z } from 'zod';
import { createTokenLedger, defineTool, ToolRegistry } from 'pegboard';
import { toLangChainTools } from 'pegboard/langchain';
import { toAiSdkTools } from 'pegboard/ai-sdk';
import { defineAgent, runAgent } from 'pegboard/agent';
import { fakeTool, scriptedModel } from 'pegboard/testing';
import { openKnowledge } from 'pegboard/rag';
import { defineExporter, openAI } from 'pegboard/export';
import { ApprovalInbox, firstAnswer } from 'pegboard/inspector';
const approve: Parameters<typeof firstAnswer>[0][number] = firstAnswer([new ApprovalInbox().ask]);
if (typeof approve !== 'function') throw new Error('no function');
const add = defineTool({ name: 'add', description: 'Add', schema: z.object({ a: z.number() }), execute: ({ a }) => a + 1 });
const other = defineExporter({ ...openAI, format: 'other', provider: 'Other' });
if (other.export([add]).tools.length !== 1) throw new Error('not exported');
const sum: number = await add.execute({ a: 1 });
const registry = new ToolRegistry().register(add);
const ledger = () => createTokenLedger(registry, { tokenizer: 'o200k_base' });
const failures = [() => toLangChainTools(registry), () => toAiSdkTools(registry), ledger].map((run) => {
  try { run(); return ''; } catch (error) { return String(error); }
});
const helper = defineAgent({ name: 'helper', model: scriptedModel(['hi']), tools: [fakeTool({ name: 'x' })] });
const model: { provider: string; model: string } = { provider: 'openai', model: 'm' };
for (const agent of [helper, defineAgent({ name: 'other', model })]) {
  failures.push(await runAgent(agent, 'x', { env: { OPENAI_API_KEY: 'k' } }).then(() => '', String));
}
const docs = openKnowledge({ collections: { docs: {} } }).collection('docs');
await docs.index(['notes'], { cwd: import.meta.dirname });
const best: string | undefined = (await docs.search('packed')).hits[0]?.sourcePath;
console.log(JSON.stringify([best?.split('/').at(-1), sum, (await registry.call('add', JSON.parse('{ "a": "2" }'), { coerce: true })).data, ...failures]));
`;

it('type-checks in a strict project that checks libraries too', () => {
  writeFileSync(join(folder, 'user.ts'), CODE);
  const tsc = join(root, 'node_modules/.bin/tsc');
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck', 'false'];
  expect(execFileSync(tsc, [...flags, 'user.ts'], { cwd: folder, encoding: 'utf8' })).toBe('');
});

const BARE = `
import { defineTool, openBoard, ToolRegistry, type Board, type Tool } from 'pegboard';
import { toLangChainTools } from 'pegboard/langchain';
import { toAiSdkTools } from 'pegboard/ai-sdk';
import { McpServer, serveStdio } from 'pegboard/mcp';
import * as agents from 'pegboard/agent';
import * as testing from 'pegboard/testing';
import * as rag from 'pegboard/rag';
import * as inspector from 'pegboard/inspector';

type IsAny<T> = [0] extends [1 & T] ? true : false;
type Anys<T> = { [K in keyof T]-?: IsAny<T[K]> extends true ? K : never }[keyof T];
const isAny: [
  IsAny<ReturnType<Tool['toLangChainTool']>>,
  IsAny<ReturnType<typeof toLangChainTools>[number]>,
  IsAny<ReturnType<typeof toAiSdkTools>>,
  IsAny<ReturnType<typeof testing.scriptedModel>>,
] = [false, false, false, false];
type Public = typeof agents | typeof testing | typeof rag | typeof inspector;
type Data = agents.AgentDefinition | agents.RunOptions | agents.AgentResult | testing.ScriptedRequest | Board;
const anys: Public | Data extends infer T ? (T extends T ? Anys<T> : never) : never = undefined as never;

const add = defineTool({
  name: 'add',
  description: 'Adds',
  schema: { type: 'object', properties: { a: { type: 'number' }, unit: { enum: ['km', 'm'] } }, required: ['a'] },
  execute: ({ a, unit }) => ({ sum: a + 1, unit: unit ?? 'm' }),
});
const registry = new ToolRegistry().register(add);
const result = await registry.call('add', { a: 1, unit: 'km' });
const text: string = result.ok ? \`\${result.data.sum.toFixed()} \${result.data.unit.length}\` : result.error.code;
// @ts-expect-error a is a number
void registry.call('add', { a: '1' });
// @ts-expect-error no tool has this name
void registry.call('ad', { a: 1 });
// @ts-expect-error a call may have failed
void result.data.sum;
const serve = (): Promise<void> => serveStdio(new McpServer({ registry }));
const open = (): Promise<Board> => openBoard('pegboard.yaml');
console.log(isAny, anys, text, serve, open);
`;

it.each([
  ['nodenext', 'nodenext', '@types/node'],
  ['node16', 'node16', '@types/node'],
  ['esnext', 'bundler', '@types/node'],
  ['nodenext', 'nodenext', 'types-node-22'],
  ['esnext', 'bundler', 'types-node-22'],
  ['nodenext', 'nodenext', 'types-node-26'],
  ['esnext', 'bundler', 'types-node-26'],
])('has whole types without any optional library: module %s, resolution %s, %s', (module, resolution, nodeTypes) => {
  const bare = join(folder, `bare-${nodeTypes.replace('/', '-')}`);
  const dependencies: string[] = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies);
  for (const [name, from] of [...dependencies.map((one) => [one, one] as const), ['@types/node', nodeTypes] as const]) {
    const link = join(bare, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(root, 'node_modules', from), link);
  }
  if (!existsSync(join(bare, 'node_modules/pegboard')))
    cpSync(join(modules, 'pegboard'), join(bare, 'node_modules/pegboard'), { recursive: true });
  writeFileSync(join(bare, 'user.ts'), BARE);
  writeFileSync(join(bare, 'package.json'), '{ "type": "module" }');
  const flags = ['--strict', '--noEmit', '--target', 'es2024', '--types', 'node', '--skipLibCheck', 'false'];
  const { stdout } = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    [...flags, '--module', module, '--moduleResolution', resolution, 'user.ts'],
    { cwd: bare, encoding: 'utf8' },
  );
  expect(stdout).toBe('');
});

const ENTRIES = ['index', 'langchain', 'ai-sdk', 'mcp', 'rag', 'agent', 'code', 'export', 'inspector', 'testing'];

it('has one file of types for each entry, and one that they share', () => {
  const files = globSync('**/*.d.ts', { cwd: join(modules, 'pegboard/dist') });
  expect(new Set(files)).toEqual(new Set([...ENTRIES, 'shared'].map((name) => `${name}.d.ts`)));
});

it('says of every export what it is, and of every option', () => {
  const untold = ENTRIES.flatMap((entry) =>
    [...exportsOf(join(modules, `pegboard/dist/${entry}.d.ts`))].flatMap(([name, declaration]) => [
      ...(declaration.isDocumented ? [] : [`${entry}: ${name}`]),
      ...(name.endsWith('Options')
        ? undocumentedMembers(declaration).map((member) => `${entry}: ${name}.${member}`)
        : []),
    ]),
  );
  expect(untold).toEqual([]);
});

/** Types that signatures mention and no entry exports, with the reason. */
const NOT_EXPORTED = new Set(
  [
    // Steps of a computation: the compiler shows and writes their result, never these names. The test below emits such types.
    'AsObject FromJsonSchema InputOf IsUnnamed NameOf OutputOf Step TypeNames V4 V4Options',
    // Short for a value or its promise, and for a list of keys.
    'Awaitable Path',
    // Handed to features, which never make one; `defineFeature` types it where they take it.
    'ToolList',
    // Sentences that a compile error shows as they are; no value has such a type.
    'NoObject NoToolHasThisName OtherOutput',
    // Constants: the public type beside each is the union of its items.
    'FIELDS LOG_LEVELS MEASURES TOKENIZERS TOOL_ERROR_CODES',
  ].flatMap((names) => names.split(' ')),
);

it('mentions no type that cannot be imported', () => {
  const given = ENTRIES.flatMap((entry) => [...exportsOf(join(modules, `pegboard/dist/${entry}.d.ts`)).values()]);
  const isGiven = new Set(given.map(({ node }) => node));
  const hidden = given.flatMap((declaration) =>
    mentionsOf(declaration)
      .filter(({ node }) => !isGiven.has(node))
      .map(({ name }) => ({ name, by: declaration.name })),
  );
  expect(hidden.filter(({ name }) => !NOT_EXPORTED.has(name))).toEqual([]);
  expect(new Set(hidden.map(({ name }) => name))).toEqual(NOT_EXPORTED);
});

const LIBRARY = `
import { z } from 'zod';
import { createTool, defineTool, openBoard, toAnthropicTools, toMcpTools, toOpenAITools, ToolIndex, ToolRegistry } from 'pegboard';
import { readAgents, runAgent } from 'pegboard/agent';
import { ApprovalInbox } from 'pegboard/inspector';
import { McpServer } from 'pegboard/mcp';
import { openKnowledge } from 'pegboard/rag';
export const begun = createTool();
export const half = begun.name('half').outputSchema({ type: "object", properties: { n: { type: 'number' } } });
const schema = { type: 'object', properties: { a: { type: 'number' }, b: { enum: [1, 2], default: 1 } } };
export const json = defineTool({ name: 'json', description: 'x', schema: { ...schema, type: 'object' }, execute: ({ a }) => ({ a }) });
export const zod = defineTool({ name: 'zod', description: 'x', schema: z.object({ a: z.number() }), execute: ({ a }) => ({ a }) });
export const registry = new ToolRegistry().registerMany([json, zod]);
export const call = (): unknown => registry.call('zod', { a: 1 });
export const called = await registry.call('json', { a: 1 });
export const exported = [toOpenAITools(registry), toAnthropicTools(registry), toMcpTools(registry)] as const;
export const hooks = registry.executor.hooks;
export const index = ToolIndex.from(registry);
export const ranked = index.rank('x').hits;
export const connect = () => new McpServer({ registry }).connect({ id: 'x' } as never);
export const board = () => openBoard('pegboard.yaml');
export const agents = async () => readAgents(await board());
export const run = () => runAgent({} as never, 'x');
export const messages = async () => (await run()).messages;
export const collection = () => openKnowledge({ collections: {} }).collection('x').open();
export const inbox = new ApprovalInbox();
export const listen = inbox.on;
`;

it('lets a library emit the types of what it makes', () => {
  writeFileSync(join(folder, 'library.ts'), LIBRARY);
  const flags = ['--strict', '--declaration', '--emitDeclarationOnly', '--outDir', 'emitted', '--target', 'es2024'];
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = spawnSync(tsc, [...flags, '--module', 'nodenext', 'library.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
});

it('runs, and names the install command for what is missing', () => {
  writeFileSync(join(folder, 'user.ts'), CODE);
  const output = execFileSync(process.execPath, ['user.ts'], { cwd: folder, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual([
    'a.md',
    2,
    3,
    'Error: toLangChainTool() needs the package "@langchain/core". Install it: npm install @langchain/core',
    'Error: toAiSdkTools() needs the package "ai". Install it: npm install ai',
    'Error: The tokenizer o200k_base needs the package "gpt-tokenizer". Install it: npm install gpt-tokenizer',
    'Error: An agent needs the package "ai". Install it: npm install ai',
    'Error: The agent "other" with the provider "openai" needs the package "@ai-sdk/openai". Install it: npm install ai @ai-sdk/openai',
  ]);
});

it('refuses a tool with a valibot schema when it is defined without the package for its JSON Schema', () => {
  const script = `
    import * as v from 'valibot';
    import { defineTool } from 'pegboard';
    try {
      defineTool({ name: 'a', description: 'A', schema: v.object({}), execute: () => 'x' });
    } catch (error) {
      console.log(error.message);
    }`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(output).toBe(
    'The JSON Schema of this tool needs the package "@valibot/to-json-schema". Install it: npm install @valibot/to-json-schema\n',
  );
});

it('has every page and picture that README, llms.txt and the documentation link to', () => {
  const installed = join(modules, 'pegboard');
  const pages = globSync(['*.{md,txt}', '{docs,examples}/**/*.md'], { cwd: installed });
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'llms.txt', join('docs', 'README.md')]));
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(installed, page), 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
    const targets = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    return targets
      .filter((target) => !existsSync(join(installed, dirname(page), target)))
      .map((target) => `${page} → ${target}`);
  });
  expect(broken).toEqual([]);
});

it('prints its pages, and no other file', () => {
  const run = (...args: string[]): { readonly stdout: string; readonly stderr: string } =>
    spawnSync(process.execPath, [join(modules, 'pegboard/dist/cli.js'), 'docs', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const read = (file: string): string => readFileSync(join(modules, 'pegboard', file), 'utf8');
  expect(run().stdout).toBe(read('llms.txt'));
  expect(run('serve-http').stdout).toBe(read('docs/serve-http.md'));
  expect(run('docs/adr/010-floors.md').stdout).toBe(read('docs/adr/010-floors.md'));
  expect(run('devops').stdout).toBe(read('docs/start/devops.md'));
  expect(run('agents').stdout).toBe(read('docs/agents.md'));
  expect(JSON.parse(run('--json').stdout)).toContainEqual({
    name: 'lock',
    title: 'The lock',
    summary: '`pegboard.lock` detects changed tools.',
  });
  expect(run('lok').stderr).toBe(
    'error There is no page "lok". Did you mean "lock"? List all pages with: pegboard docs\n',
  );
  expect(run('../README').stderr).toMatch(/^error There is no page "\.\.\/README"\./);
});

it('exports what src/index.ts lists, and nothing else', async () => {
  const script = `console.log(JSON.stringify(Object.keys(await import('pegboard'))))`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(new Set(JSON.parse(output))).toEqual(new Set(Object.keys(await import('../src/index.ts'))));
});

it('knows the results of another copy of the package', () => {
  cpSync(join(modules, 'pegboard'), join(folder, 'other/node_modules/pegboard'), { recursive: true });
  writeFileSync(join(folder, 'other/make.js'), `export * from 'pegboard';`);
  const script = `
    import { defineTool, ToolRegistry, ToolResult } from 'pegboard';
    import { ToolResult as Other } from './other/make.js';
    const made = [Other.text('a'), Other.json({ n: 1 }), Other.error('no')];
    const registry = new ToolRegistry().register(defineTool({
      name: 'pick', description: 'Picks', schema: { type: 'object' }, execute: ({ index }) => made[index],
    }));
    registry.executor.hooks.after(({ result }) => (result.data === undefined ? undefined : Other.json({ n: 2 })));
    const called = await Promise.all(made.map((_, index) => registry.call('pick', { index })));
    console.log(JSON.stringify([Other === ToolResult, made.every((one) => one instanceof ToolResult), called]));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(JSON.parse(output)).toEqual([
    false,
    true,
    [
      { text: 'a', is_error: false },
      { text: '{"n":2}', is_error: false, data: { n: 2 } },
      {
        text: 'no',
        is_error: true,
        error: { code: 'execution_failed', message: 'no', tool: 'pick', recoverable: false },
      },
    ],
  ]);
});

it('takes the tools and the errors of another copy of the package', () => {
  cpSync(join(modules, 'pegboard'), join(folder, 'other/node_modules/pegboard'), { recursive: true });
  writeFileSync(join(folder, 'other/make.js'), `export * from 'pegboard';`);
  const script = `
    import { ConfigError, ToolAlreadyExistsError, ToolError, ToolExecutionError, ToolRegistry } from 'pegboard';
    import * as other from './other/make.js';
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const busy = () => { throw new other.ToolError({ code: 'busy', message: 'Come back later.' }); };
    class Shout extends other.ToolDefinition {
      name() { return 'shout'; }
      description() { return 'x'; }
      parameters() { return [other.ToolParameter.string('text', 'x')]; }
      handle({ text }) { return other.ToolResult.text(text.toUpperCase()); }
    }
    const registry = new ToolRegistry().registerMany([
      other.defineTool({ name: 'busy', description: 'x', schema, execute: busy }),
      other.createTool().name('who').description('x').schema(schema)
        .implement(({ a }, context) => ({ a, who: context.getMeta('who'), aborted: context.signal.aborted })).build(),
      Shout,
    ]);
    const results = [
      await registry.call('busy', { a: 1 }),
      await registry.call('busy', { a: 'x' }),
      await registry.call('who', { a: 2 }, { context: { who: 'Ada' } }),
      await registry.call('shout', { text: 'hey' }),
    ];
    class Own extends ToolError {}
    const thrown = async (run) => { try { await run(); } catch (error) { return error; } };
    const errors = [
      new other.ToolError({ code: 'busy', message: 'x' }),
      await thrown(() => other.defineTool({ name: 'busy', description: 'x', schema, execute: busy }).execute({ a: 1 })),
      await thrown(() => new other.ToolRegistry().registerMany([Shout, Shout])),
      await thrown(() => other.openBoard('none.yaml')),
      new Own({ code: 'busy', message: 'x' }),
      new Error('x'),
    ];
    const classes = [ToolError, ToolExecutionError, ToolAlreadyExistsError, ConfigError, Own, Error];
    console.log(JSON.stringify([results.map(({ ok, data, error, text }) => ok ? data ?? text : error.code), errors.map((error) =>
      classes.filter((one) => error instanceof one).map(({ name }) => name).join(' '))]));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(JSON.parse(output)).toEqual([
    ['busy', 'invalid_arguments', { a: 2, who: 'Ada', aborted: false }, 'HEY'],
    [
      'ToolError Error',
      'ToolError ToolExecutionError Error',
      'ToolError ToolAlreadyExistsError Error',
      'ToolError ConfigError Error',
      'ToolError Own Error',
      'Error',
    ],
  ]);
});

it('runs the local embedder in its thread', () => {
  const script = `
    import { createEmbedder } from 'pegboard';
    const [vector] = await createEmbedder({ platform: 'local' }).embed(['hello']);
    console.log(vector.length);`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(output).toBe('384\n');
});

it('has the inspector’s page in it, small enough and whole', () => {
  const script = `
    import { gzipSync } from 'node:zlib';
    import { ToolRegistry } from 'pegboard';
    import { startInspector } from 'pegboard/inspector';
    const inspector = await startInspector(new ToolRegistry());
    const get = async (path) => { const r = await fetch(new URL(path, inspector.url)); return r.ok ? r.text() : r.status; };
    const html = await get('/');
    const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
    const files = await Promise.all(paths.map(get));
    await inspector.close();
    console.log(JSON.stringify([paths.length, files.every((file) => typeof file === 'string'), gzipSync(files.join('')).length]));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  const [count, isWhole, size] = JSON.parse(output);
  expect([count, isWhole]).toEqual([3, true]);
  // React for development alone would be more than this.
  expect(size).toBeLessThan(100_000);
});

it('has the packs in it, and makes a board of each', () => {
  const desk = join(folder, 'packs-desk');
  const cli = (...args: string[]): string =>
    execFileSync(process.execPath, [join(modules, 'pegboard/dist/cli.js'), ...args], { cwd: folder, encoding: 'utf8' });
  const names = globSync('*.yaml', { cwd: join(root, 'packs') }).map((file) => file.replace('.yaml', ''));
  cli('init', '--pack', names.join(','), desk);
  const listed = JSON.parse(cli('list', join(desk, 'pegboard.yaml'), '--json'));
  expect(new Set(listed.map(({ source }: { source: string }) => source))).toEqual(new Set(names));
});

it('loads no package when it is imported', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load(url, context, next) { if (!url.startsWith('node:')) loaded.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]); return next(url, context); } });
    await import('pegboard');
    console.log(JSON.stringify([...loaded]));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(JSON.parse(output)).toEqual(['pegboard']);
});

it('lists a plain board without what opens one, from a few files', () => {
  const board = 'tools: [{ name: hello, type: cli, description: Says hello, risk: read, command: echo hello }]';
  writeFileSync(join(folder, 'plain.yaml'), board);
  const hook = join(root, 'bench/log-loads.ts');
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, ['--import', hook, join(modules, 'pegboard/dist/cli.js'), ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const [listed, ...urls] = run('list', 'plain.yaml').trim().split('\n');
  expect(listed).toBe('hello\tplain\tread\tSays hello');
  const files = urls
    .filter((url) => url.startsWith('file:'))
    .map((url) => url.replace(/^.*\/|-[\w-]{8}(?=\.js$)/g, ''));
  expect(files.toSorted()).toEqual(['cli.js', 'cli.js', 'command-front.js', 'core.js', 'js-yaml.mjs']);
  expect(run('call', 'hello', '-f', 'plain.yaml')).toMatch(/^hello\n[^]*\/chunks\/board-/);
});

it('starts without the modules of Node that it does not need yet', () => {
  const watch = `process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')))`;
  writeFileSync(join(folder, 'loads.cjs'), watch);
  const start = (input: string, ...args: string[]): readonly string[] => {
    const cli = join(modules, 'pegboard/dist/cli.js');
    const { stderr } = spawnSync(process.execPath, ['-r', './loads.cjs', cli, ...args], {
      cwd: folder,
      encoding: 'utf8',
      input,
    });
    expect(stderr).toContain('NativeModule path');
    return stderr.split('\n').map((line) => line.replace('NativeModule ', ''));
  };
  const late = new Set(['child_process', 'crypto', 'dns', 'fs/promises', 'http', 'sqlite', 'worker_threads']);
  expect(start('', 'list', 'plain.yaml').filter((name) => late.has(name))).toEqual([]);
  const ping = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`;
  expect(start(ping, 'serve', 'plain.yaml').filter((name) => late.has(name))).toEqual([]);
});

it('ranks by meaning with the data that is packed', () => {
  const script = `
    import { defineTool, ToolIndex, ToolRegistry } from 'pegboard';
    const tool = (name, description) => defineTool({ name, description, schema: { type: 'object' }, execute: () => name });
    const tools = [tool('find_lawyer', 'Finds a lawyer'), tool('find_recipe', 'Finds a recipe')];
    const { hits } = ToolIndex.from(new ToolRegistry().registerMany(tools)).rank('I need an attorney');
    console.log(hits[0]?.name);`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(output.trim()).toBe('find_lawyer');
});

it('packs a board into a bundle that a host runs with nothing but Node', async () => {
  const place = join(folder, 'desk');
  mkdirSync(join(place, '.pegboard'), { recursive: true });
  const tools = [{ name: 'greet', type: 'cli', description: 'Greet', command: 'echo hello', risk: 'read' }];
  const needing = { name: 'secret', type: 'cli', description: 'x', command: 'echo', env: { KEY: '${DESK_TOKEN}' } };
  writeFileSync(join(place, 'pegboard.yaml'), JSON.stringify({ name: 'desk', tools: [...tools, needing] }));
  for (const name of ['.env', '.pegboard/board.db', 'key.pem', 'skipped.txt', 'note.txt'])
    writeFileSync(join(place, name), 'x');
  writeFileSync(join(place, '.mcpbignore'), 'skipped.txt\n');
  const cli = join(modules, 'pegboard/dist/cli.js');
  const told = execFileSync(process.execPath, [cli, 'bundle', '--json', '--author', 'Ada'], {
    cwd: place,
    encoding: 'utf8',
  });
  expect(JSON.parse(told)).toMatchObject({ written: 'desk.mcpb', files: 3, notes: [] });
  const files = readZip(readFileSync(join(place, 'desk.mcpb')), 'desk.mcpb');
  const own = files.flatMap(({ name }) => (name.startsWith('board/') ? [name] : []));
  expect(own).toEqual(['board/.mcpbignore', 'board/note.txt', 'board/pegboard.yaml']);
  const host = mkdtempSync(join(tmpdir(), 'pegboard-host-'));
  try {
    for (const { name, read } of files) {
      mkdirSync(dirname(join(host, name)), { recursive: true });
      writeFileSync(join(host, name), read());
    }
    const manifest = JSON.parse(readFileSync(join(host, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      manifest_version: '0.3',
      name: 'desk',
      author: { name: 'Ada' },
      tools: [{ name: 'greet', description: 'Greet' }],
      user_config: { desk_token: { type: 'string', required: true, sensitive: true } },
    });
    const { command, args, env } = manifest.server.mcp_config;
    expect([command, env]).toEqual(['node', { DESK_TOKEN: '${user_config.desk_token}' }]);
    const client = new Client({ name: 'host', version: '1' });
    const started = args.map((arg: string) => arg.replaceAll('${__dirname}', host));
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: started,
        cwd: '/',
        env: { PATH: process.env['PATH'] ?? '', PEGBOARD_STANDALONE: '1' },
      }),
    );
    expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({ content: [{ text: 'hello\n' }] });
    await client.close();
  } finally {
    rmSync(host, { recursive: true, force: true });
  }
});
