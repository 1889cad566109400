// Holds the walls that ARCHITECTURE.md describes: who may import whom, no cycles, nothing foreign in core.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** What each folder of src may import, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  peers: [],
  store: ['core'],
  wasm: [],
  rag: ['core', 'peers', 'embedders', 'store', 'wasm'],
  schema: ['core', 'peers'],
  execute: ['core', 'schema'],
  export: ['core', 'schema', 'peers'],
  define: ['core', 'schema', 'execute', 'export'],
  registry: ['core', 'define', 'execute', 'export'],
  discovery: ['core', 'define', 'execute', 'export', 'peers', 'registry', 'wasm'],
  process: ['core'],
  http: ['core'],
  embedders: ['core', 'peers', 'http', 'store', 'wasm'],
  openapi: ['core'],
  'import-cli': [],
  policy: ['core', 'schema'],
  lock: ['core'],
  kinds: ['core', 'schema', 'define', 'process', 'http', 'mcp', 'policy', 'rag'],
  mcp: ['core', 'schema', 'execute', 'export', 'registry', 'discovery', 'store', 'process'],
  config: [
    'core',
    'schema',
    'define',
    'execute',
    'registry',
    'discovery',
    'kinds',
    'policy',
    'process',
    'http',
    'store',
    'embedders',
    'mcp',
    'lock',
    'rag',
  ],
  agent: [
    'core',
    'schema',
    'define',
    'execute',
    'export',
    'registry',
    'discovery',
    'policy',
    'store',
    'config',
    'peers',
  ],
  inspector: ['core', 'execute', 'registry', 'discovery', 'policy', 'mcp', 'config', 'agent'],
  testing: ['core', 'define', 'execute', 'export', 'registry', 'rag', 'config', 'agent'],
  cli: [
    'agent',
    'inspector',
    'core',
    'schema',
    'define',
    'execute',
    'export',
    'registry',
    'discovery',
    'kinds',
    'policy',
    'process',
    'openapi',
    'import-cli',
    'mcp',
    'config',
    'embedders',
    'rag',
    'store',
  ],
};

/** Adapters that must not know each other. */
const SIBLINGS = ['openai', 'anthropic', 'gemini', 'mcp', 'langchain', 'ai-sdk'];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

function readImports(): Import[] {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test(-d|-helper)?\.ts$/.test(file));
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const statements = source.matchAll(/^(?:import|export)\s+(type\s+)?[^;]*?\bfrom\s+'([^']+)';/gms);
    return [...statements].map(([, type, target]) => ({
      from: file,
      to: target?.startsWith('.') === true ? relative(root, join(root, dirname(file), target)) : `npm:${target}`,
      isType: type !== undefined,
    }));
  });
}

/** The config schemas as they are written: never loaded by the library itself. */
const isAuthored = (file: string): boolean =>
  /^src\/(?:kinds\/(?:[a-z]+\/schema|common-schema)|config\/schema\/[a-z-]+)\.ts$/.test(file);

const imports = readImports();
const folderOf = (file: string): string => file.split('/')[1] ?? '';

describe('architecture', () => {
  it('reads the whole house', () => {
    expect(imports.length).toBeGreaterThan(100);
    const folders = new Set(globSync('src/*/', { cwd: root }).map((folder) => folder.split('/')[1]));
    expect(folders).toEqual(new Set(Object.keys(MAY_IMPORT)));
  });

  it('is the house that ARCHITECTURE.md draws: every folder listed, and none imports from its own floor or above', () => {
    const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const listed = [...page.matchAll(/^  ([a-z-]+)\/ /gm)].map(([, folder = '']) => folder);
    expect(listed.toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
    const [, drawing = ''] = /bottom up:\n\n```\n(.*?)```/s.exec(page) ?? [];
    const floors = new Map(
      drawing
        .split('\n')
        .flatMap((line, floor) => (line.match(/[a-z-]+/g) ?? []).map((folder) => [folder, floor] as const)),
    );
    expect([...floors.keys()].toSorted()).toEqual(Object.keys(MAY_IMPORT).toSorted());
    const floorOf = (folder: string): number => floors.get(folder) ?? Number.NaN;
    const wrong = Object.entries(MAY_IMPORT).flatMap(([here, others]) =>
      others.filter((there) => !(floorOf(there) < floorOf(here))).map((there) => `${here} → ${there}`),
    );
    expect(wrong).toEqual([]);
  });

  it('imports only downwards', () => {
    const wrong = imports.filter(({ from, to }) => {
      if (to.startsWith('npm:') || from.split('/').length < 3) return false;
      const [here, there] = [folderOf(from), folderOf(to)];
      return here !== there && MAY_IMPORT[here]?.includes(there) !== true;
    });
    expect(wrong).toEqual([]);
  });

  it('keeps adapters apart', () => {
    const adapter = (file: string): string | undefined =>
      SIBLINGS.find((name) => new RegExp(`^src/export/${name}(-calls)?\\.ts$`).test(file));
    const wrong = imports.filter(({ from, to }) => {
      const [here, there] = [adapter(from), adapter(to)];
      return here !== undefined && there !== undefined && here !== there;
    });
    expect(wrong).toEqual([]);
  });

  it('keeps core free of third-party code', () => {
    expect(
      imports.filter(({ from, to, isType }) => folderOf(from) === 'core' && to.startsWith('npm:') && !isType),
    ).toEqual([]);
  });

  it('loads optional libraries only through loadPeer', () => {
    const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const isPeer = (to: string): boolean =>
      Object.keys(peerDependencies).some((peer) => to === `npm:${peer}` || to.startsWith(`npm:${peer}/`));
    expect(imports.filter(({ from, to, isType }) => !isType && isPeer(to) && !isAuthored(from))).toEqual([]);
  });

  it('uses the zod schemas of config files only to generate what the loader reads', () => {
    const wrong = imports.filter(({ from, to, isType }) => isAuthored(to) && !isType && !isAuthored(from));
    expect(wrong).toEqual([]);
  });

  it('keeps the inspector’s page apart: it runs in a browser, and shares the types of the API and how texts and schemas are read', () => {
    const isPage = (file: string): boolean => file.startsWith('src/inspector/page/');
    const allowed = (to: string): boolean =>
      isPage(to) ||
      to === 'src/inspector/api-types.ts' ||
      to === 'src/core/texts/reveal-hidden.ts' ||
      to.startsWith('src/core/parameters/') ||
      /^npm:react(?:-dom)?(?:\/|$)/.test(to);
    expect(imports.filter(({ from, to }) => isPage(from) && !allowed(to))).toEqual([]);
    expect(imports.filter(({ from, to }) => isPage(to) && !isPage(from))).toEqual([]);
  });

  it('has no cycles', () => {
    const graph = Map.groupBy(
      imports.filter(({ to }) => !to.startsWith('npm:')),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) throw new Error(`Cycle: ${[...trail.slice(trail.indexOf(file)), file].join(' → ')}`);
      if (done.has(file)) return;
      for (const { to } of graph.get(file) ?? []) visit(to, [...trail, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
  });

  it('keeps every source file under 400 lines', () => {
    const long = globSync('src/**/*.{ts,tsx}', { cwd: root })
      .filter((file) => !file.includes('.test'))
      .filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 400);
    expect(long).toEqual([]);
  });
});
