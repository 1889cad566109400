import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBoard } from '../src/index.ts';
import { entryFile } from './cli-program.test-helper.ts';

const pegboard = entryFile('index');

/** The code of a plugin with one kind. */
const plugin = (type: string): string => `
import { defineKind, definePlugin, defineTool } from ${JSON.stringify(pegboard)};
const tools = ({ metadata }) => [defineTool({ ...metadata, schema: { type: 'object' }, execute: () => '${type}' })];
export default definePlugin({ kinds: [defineKind({ type: '${type}', schema: { type: 'object' }, tools })] });
`;
const manifest = (more: object): string => JSON.stringify({ name: 'p', version: '1.0.0', type: 'module', ...more });
const board = (plugins: string, type = 'one'): string =>
  `lock: deny\nplugins: [${plugins}]\ntools: [{ name: ${type}, type: ${type}, description: A }]\n`;

function write(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-trust-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Opens a board and gives the names of its kinds' tools, or what is wrong. */
async function open(folder: string, files: readonly string[] = ['pegboard.yaml'], lock?: 'ignore'): Promise<string> {
  try {
    const opened = await openBoard({ files, cwd: folder, env: {}, ...(lock === undefined ? {} : { lock }) });
    if (lock === 'ignore') opened.lock.write();
    await opened.close();
    return opened.registry.has('one') ? 'one' : 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const writeLock = (folder: string, files?: readonly string[]): Promise<string> => open(folder, files, 'ignore');

describe('a plugin that the lock pins', () => {
  it.for([
    ['its name leads out of it', 'p/../../evil.mjs', {}],
    ['its main file is elsewhere', 'p', { main: '../../evil.mjs' }],
    ['its exports are elsewhere', 'p', { exports: './../../evil.mjs' }],
  ] as const)('is not loaded when %s', async ([, name, more]) => {
    const files = { 'pegboard.yaml': board(name), 'node_modules/p/package.json': manifest(more) };
    const folder = write({ ...files, 'evil.mjs': plugin('one') });
    expect(await writeLock(folder)).toContain(
      `the plugin "${name}" cannot be used: it resolves to a file outside its package: ${join(folder, 'evil.mjs')}.`,
    );
  });

  it('is pinned in each folder that has one of its name', async () => {
    const folder = write({
      'pegboard.yaml': `import: [sub/b.yaml]\n${board('p')}`,
      'node_modules/p/package.json': manifest({ exports: './index.js' }),
      'node_modules/p/index.js': plugin('one'),
      'sub/b.yaml': board('p', 'two'),
      'sub/node_modules/p/package.json': manifest({ exports: './index.js' }),
      'sub/node_modules/p/index.js': plugin('two'),
    });
    await writeLock(folder);
    expect(await open(folder)).toBe('one');
    for (const place of ['sub/node_modules/p/more.js', 'node_modules/p/more.js']) {
      writeFileSync(join(folder, place), '1;');
      expect(await open(folder)).toContain('cannot be used: it changed since pegboard.lock was written');
      rmSync(join(folder, place));
    }
    expect(await open(folder)).toBe('one');
  });

  it('has changed when code behind its links has', async () => {
    const folder = write({
      'pegboard.yaml': board('p'),
      'node_modules/p/package.json': manifest({ exports: './lib/index.js' }),
      'shared/package.json': manifest({}),
      'shared/index.js': plugin('one'),
    });
    symlinkSync(join(folder, 'shared'), join(folder, 'node_modules/p/lib'));
    symlinkSync('.', join(folder, 'node_modules/p/self'));
    symlinkSync('gone', join(folder, 'node_modules/p/dangling'));
    await writeLock(folder);
    expect(await open(folder)).toBe('one');
    writeFileSync(join(folder, 'shared/index.js'), `${plugin('one')}// more`);
    expect(await open(folder)).toContain('it changed since pegboard.lock was written');
  });

  it.for(['dney', '${NOT_SET}', '[deny]'])('does not run where lock is %s', async (mode) => {
    const text = board('./p.mjs').replace('lock: deny', `lock: ${mode}`);
    const mark = `globalThis.ranWith = ${JSON.stringify(mode)};`;
    const folder = write({ 'pegboard.yaml': text, 'p.mjs': `${mark}${plugin('one')}` });
    expect(await open(folder)).toContain('plugins[0]: the plugin "./p.mjs" cannot be used');
    expect(globalThis).not.toMatchObject({ ranWith: mode });
  });

  it.for(['deny', 'approve'])('does not run when the lock is only compared, under lock: %s', async (mode) => {
    const folder = write({
      'pegboard.yaml': board('./p.mjs').replace('lock: deny', `lock: ${mode}`),
      'p.mjs': plugin('one'),
    });
    await writeLock(folder);
    const look = async (): Promise<string> => {
      const opened = await openBoard({
        files: 'pegboard.yaml',
        cwd: folder,
        env: {},
        lock: 'compare',
        approveChanges: () => true,
      });
      await opened.close();
      return opened.lock.changes.map(({ type, name }) => `${type} ${name}`).join();
    };
    expect(await look()).toBe('');
    writeFileSync(
      join(folder, 'pegboard.yaml'),
      board('./p.mjs').replace('description: A', 'description: B').replace('lock: deny', `lock: ${mode}`),
    );
    expect(await look()).toBe('changed one');
    writeFileSync(join(folder, 'p.mjs'), `globalThis.compared = true;${plugin('one')}`);
    await expect(look()).rejects.toThrow('it changed since pegboard.lock was written');
    expect(globalThis).not.toMatchObject({ compared: true });
  });

  it('is looked up in the lock that is written, with a policy file of CLImax in another folder', async () => {
    const folder = write({
      'pegboard.yaml': board('./p.mjs'),
      'p.mjs': plugin('one'),
      'sub/policy.yaml': 'tools: { one: { enabled: true } }\n',
    });
    const files = ['pegboard.yaml', 'sub/policy.yaml'];
    await writeLock(folder, files);
    expect(await open(folder, files)).toBe('one');
  });
});

describe('the name of a plugin', () => {
  it('may lead to a part of a package that is only for import', async () => {
    const exports = { '.': { import: './index.js' }, './tools': { import: './tools.js' } };
    const folder = write({
      'pegboard.yaml': board('p/tools'),
      'node_modules/p/package.json': manifest({ exports }),
      'node_modules/p/index.js': plugin('other'),
      'node_modules/p/tools.js': plugin('one'),
    });
    expect(await writeLock(folder)).toBe('one');
  });

  it('means a package, also where Node has a module of that name', async () => {
    const folder = write({
      'pegboard.yaml': board('events'),
      'node_modules/events/package.json': manifest({ main: './index.js' }),
      'node_modules/events/index.js': plugin('one'),
    });
    expect(await writeLock(folder)).toBe('one');
  });

  it('must not be that of a folder', async () => {
    const folder = write({ 'pegboard.yaml': board('./p'), 'p/index.js': plugin('one') });
    expect(await open(folder)).toContain(`the plugin "./p" cannot be used: there is no file ${join(folder, 'p')}.`);
  });
});
