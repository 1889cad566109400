// Importing Pegboard loads nothing that it does not need.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI } from './cli-program.test-helper.ts';
import { boardFolder, ECHO, STUCK } from './upstream-boards.test-helper.ts';

const root = join(import.meta.dirname, '..');

/** Runs code in a fresh process and gives the packages it loaded. */
function packagesLoadedBy(code: string): string[] {
  return loadedBy(code, String.raw`/node_modules\/((?:@[^/]+\/)?[^/]+)\//`);
}

/** Runs code in a fresh process and gives what a pattern finds in the addresses of all modules it loaded. */
function loadedBy(code: string, pattern: string): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load(url, context, next) {
      const match = ${pattern}.exec(url);
      if (match) loaded.add(match[1]);
      return next(url, context);
    } });
    const { defineTool, ToolRegistry } = await import('./src/index.ts');
    ${code}
    console.log(JSON.stringify([...loaded].sort()));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' }),
  );
}

const TOOL = `const tool = defineTool({ name: 't', description: 'T', schema: { type: 'object', properties: { n: { type: 'number' } } }, execute: ({ n }) => n });`;

describe('import', () => {
  it('loads no package at all', () => {
    expect(packagesLoadedBy('')).toEqual([]);
  });

  it('reads no schema of files and makes no large pattern before one is needed', () => {
    // Both took most of the time that the modules themselves ran.
    const script = `
      const made = [];
      globalThis.RegExp = new Proxy(RegExp, { construct: (target, [source, flags]) => {
        if (String(source).includes('p{')) made.push('pattern');
        return new target(source, flags);
      } });
      const parse = JSON.parse;
      JSON.parse = (text, ...rest) => (String(text).length > 5_000 && made.push('schema'), parse(text, ...rest));
      const { revealHidden } = await import('./src/tool/texts/reveal-hidden.ts');
      await import('./src/index.ts');
      const atStart = [...made];
      revealHidden('\u200b');
      await import('./src/kinds/cli/kind.ts');
      console.log(JSON.stringify([atStart, made]));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toEqual([[], ['pattern', 'schema']]);
  });

  it('loads no embedder, no cache of vectors and no WebAssembly until a text is embedded', () => {
    const pattern = String.raw`/src\/((?:vectors\/(?:cache|local|openai|packed|vector|dot)|platform\/wasm)[^/]*)/`;
    const code = `${TOOL}
      const { createEmbedder, ToolIndex } = await import('./src/index.ts');
      const embedder = createEmbedder({ url: 'http://127.0.0.1:9/v1', model: 'm' });
      const index = ToolIndex.from(new ToolRegistry().register(tool), { embedder });
      if (index.rank('t').hits.length !== 1) throw new Error('not found');`;
    expect(loadedBy(code, pattern)).toEqual([]);
    expect(loadedBy(`${code} await index.find('t');`, pattern)).toContain('vectors/openai');
  });

  it('still loads none for a JSON Schema tool that is registered, listed, exported and called', () => {
    const code = `${TOOL}
      const registry = new ToolRegistry().register(tool);
      registry.definitions(); registry.list(); registry.generatePrompt();
      if ((await registry.call('t', { n: 1 })).data !== 1) throw new Error('wrong answer');`;
    expect(packagesLoadedBy(code)).toEqual([]);
  });

  it('loads none to serve a board over MCP', () => {
    const code = `${TOOL}
      const { McpServer, serveHttp } = await import('./src/mcp.ts');
      const http = await serveHttp(new McpServer({ registry: new ToolRegistry().register(tool) }), { port: 0 });
      await http.close();`;
    expect(packagesLoadedBy(code)).toEqual([]);
  });

  it('loads jose when a server has a JWT to check, and not before', () => {
    const serve = (authorization: string) => `${TOOL}
      const { McpServer, serveHttp } = await import('./src/mcp.ts');
      const { createAuthenticator } = await import('./src/features/serving/commands/serve/create-authenticator.ts');
      const oauth = { issuer: 'http://127.0.0.1:1', audience: 'http://board.example' };
      const authenticator = createAuthenticator({ oauth }, { token: undefined, isOpen: false, boardToken: () => '' });
      const http = await serveHttp(new McpServer({ registry: new ToolRegistry().register(tool) }), { port: 0, authenticator });
      const { status } = await fetch(http.url, { method: 'POST', headers: { ${authorization} } });
      if (status !== 401) throw new Error(\`\${status}\`);
      await http.close();`;
    expect(packagesLoadedBy(serve(''))).toEqual([]);
    expect(packagesLoadedBy(serve(`authorization: 'Bearer no.j.wt'`))).toEqual(['jose']);
  });

  it('loads none to inspect a board', () => {
    const code = `${TOOL}
      const { startInspector } = await import('./src/inspector.ts');
      const inspector = await startInspector(new ToolRegistry().register(tool));
      const headers = { authorization: \`Bearer \${inspector.token}\` };
      const response = await fetch(new URL('/api/board', inspector.url), { headers });
      if ((await response.json()).toolCount !== 1) throw new Error('wrong answer');
      await inspector.close();`;
    expect(packagesLoadedBy(code)).toEqual([]);
  });

  it('loads none for agents and their tests until one runs', () => {
    const code = `const { defineAgent } = await import('./src/agent.ts');
      const { scriptedModel, fakeTool } = await import('./src/testing.ts');
      defineAgent({ name: 'a', model: scriptedModel(['hi']), tools: [fakeTool({ name: 'x' })] });`;
    expect(packagesLoadedBy(code)).toEqual([]);
  });

  it('loads LangChain when LangChain tools are asked for', () => {
    expect(packagesLoadedBy(`${TOOL} tool.toLangChainTool();`)).toContain('@langchain/core');
  });

  it('loads no package to search a knowledge base and to store in it, two small ones to index files', () => {
    const open = `const { openKnowledge } = await import('./src/rag.ts');
      const docs = openKnowledge({ collections: { docs: {} } }).collection('docs');
      await docs.store({ content: 'words' });
      if ((await docs.search('words')).hits.length !== 1) throw new Error('not found');`;
    expect(packagesLoadedBy(open)).toEqual([]);
    expect(packagesLoadedBy(`${open} await docs.index(['README.md']);`)).toEqual(['ignore', 'picomatch']);
  });
});

describe('a board of commands', () => {
  it('loads what runs commands with the first call, and plans no collections', () => {
    const board = boardFolder({ tools: [ECHO] });
    const open = `const { openBoard } = await import('./src/index.ts');
      const board = await openBoard(${JSON.stringify(join(board, 'pegboard.yaml'))});`;
    const pattern = String.raw`/src\/((?:kinds\/cli\/cli-call|platform\/process\/run-process|knowledge\/plan\/plan-knowledge))\.ts/`;
    expect(loadedBy(`${open} await board.close();`, pattern)).toEqual([]);
    const call = `${open} await board.call('echo', { text: 'hi' }); await board.close();`;
    expect(loadedBy(call, pattern)).toEqual(['kinds/cli/cli-call', 'platform/process/run-process']);
  });
});

// The sources are not one file for each of these.
describe.skipIf(CLI.endsWith('.ts'))('pegboard list', () => {
  it('loads for servers that it does not start what they need, and neither the board nor what talks to them', () => {
    const hook = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      process.on('exit', () => console.log('loaded', JSON.stringify(loaded)));`;
    const cwd = boardFolder({ tools: [ECHO], mcpServers: { stuck: STUCK } });
    const args = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, CLI, 'list'];
    const printed = execFileSync(process.execPath, args, { cwd, encoding: 'utf8', env: { HOME: cwd }, stdio: 'pipe' });
    const loaded: string[] = JSON.parse(/^loaded (.*)$/m.exec(printed)?.[1] ?? '[]');
    const files = loaded.map((url) => url.replace(/.*\//, '').replace(/-[\w-]{8}\.js$/, ''));
    expect(printed).toContain('echo');
    expect(files).toEqual(expect.arrayContaining(['servers', 'making', 'protocol', 'servers-of-board']));
    // Each of these is large, or costs a start for nothing.
    for (const needless of ['board', 'library', 'talk', 'serve', 'node:net']) expect(files).not.toContain(needless);
  });
});
