// The `@example` blocks of public exports compile, each with the names that it uses imported.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const folder = join(root, '.cache/example-check');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names that examples use without importing them, each with its own type. */
const KNOWN = [
  `declare const registry: import('../../src/index.ts').ToolRegistry;`,
  `declare const board: import('../../src/index.ts').Board;`,
  `declare const tool: import('../../src/index.ts').Tool;`,
  `declare const helper: import('../../src/agent.ts').Agent;`,
  `declare const agent: import('../../src/agent.ts').Agent;`,
];

/** The most used exports. */
const MOST_USED = [
  'createTool defineTool ToolDefinition ToolParameter ToolContext ToolResult ToolError ToolRegistry',
  'ToolExecutor ToolIndex openBoard defineKind definePlugin generatePrompt toOpenAITools toAnthropicTools',
  'toGeminiTools toMcpTools defineExporter defineAgent runAgent McpServer',
].flatMap((names) => names.split(' '));

/** The code of an example, and what it belongs to. */
const EXAMPLE =
  /\* @example\n((?: +\*(?!\/).*\n)+?) +\*\/\n(?: *\/\/.*\n)*export (?:async |abstract )*(?:function|class|const|type|interface) (\w+)/g;

const ENTRIES = ['index', 'langchain', 'ai-sdk', 'mcp', 'rag', 'agent', 'code', 'export', 'inspector', 'testing'];

it('compiles every example', async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const given = await Promise.all(
    ENTRIES.map(async (entry) => [entry, Object.keys(await import(`../src/${entry}.ts`))] as const),
  );
  const files = execFileSync('git', ['ls-files', 'src/*.ts'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const examples = files
    .filter((file) => !file.includes('.test'))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const found = [...text.matchAll(EXAMPLE)].map(([, block = '', name = '']) => ({ file, block, name }));
      // None is passed over for how it is written.
      if (found.length !== text.split('* @example').length - 1)
        throw new Error(`${file} has an example that is not read`);
      return found;
    });
  const told = new Set(examples.map(({ name }) => name));
  expect(MOST_USED.filter((name) => !told.has(name))).toEqual([]);
  for (const [index, { file, block }] of examples.entries()) {
    const code = block.replaceAll(/^ +\* ?(?:```\w*$)?/gm, '');
    const used = new Set(code.match(/\b[A-Za-z]\w+/g));
    for (const [, name = ''] of code.matchAll(/(?:const|let|class|function) (\w+)/g)) used.delete(name);
    for (const [, names = ''] of code.matchAll(/import \{(.*?)\}/g))
      for (const name of names.split(',')) used.delete(name.trim());
    const imports = given.flatMap(([entry, all]) => {
      const names = all.filter((name) => used.delete(name));
      return names.length === 0 ? [] : [`import { ${names.join(', ')} } from '../../src/${entry}.ts';`];
    });
    const zod = /\bz\./.test(code) && !code.includes("from 'zod'") ? [`import { z } from 'zod';`] : [];
    const known = KNOWN.filter((line) => !new RegExp(`(?:const|let) ${/const (\w+)/.exec(line)?.[1]}\\b`).test(code));
    writeFileSync(
      join(folder, `${index}.ts`),
      [`// ${file}`, ...zod, ...imports, ...known, code, 'export {};'].join('\n'),
    );
  }
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: {
      noImplicitOverride: false,
      paths: { pegboard: ['../../src/index.ts'], 'pegboard/*': ['../../src/*.ts'] },
    },
    include: ['./*.ts'],
    exclude: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = spawnSync(tsc, ['-p', folder, '--pretty', 'false'], { cwd: root, encoding: 'utf8' });
  expect(stdout).toBe('');
});
