// Builds dist/: bundled JavaScript that shares chunks between entry points, and one .d.ts per module.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { buildPage } from './build-page.ts';

rmSync('dist', { recursive: true, force: true });

const entries = {
  index: 'src/index.ts',
  langchain: 'src/langchain.ts',
  'ai-sdk': 'src/ai-sdk.ts',
  mcp: 'src/mcp.ts',
  rag: 'src/rag.ts',
  // Not an entry for people: the thread of the local embedder.
  'embed-worker': 'src/vectors/local/embed-worker.ts',
  agent: 'src/agent.ts',
  export: 'src/export.ts',
  testing: 'src/testing.ts',
  inspector: 'src/inspector.ts',
};

/** What each module imports at once. */
const imports = new Map<string, readonly string[]>();

const bundle = await rolldown({
  input: { ...entries, cli: 'src/cli/main.ts' },
  platform: 'node',
  // What the grouping below asks for; entries keep exactly their own exports, which a test holds.
  preserveEntrySignatures: 'allow-extension',
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  plugins: [
    {
      name: 'imports',
      buildEnd() {
        for (const id of this.getModuleIds()) imports.set(id, this.getModuleInfo(id)?.importedIds ?? []);
      },
    },
  ],
});

/** The modules that are loaded with some, directly or not. */
function closure(files: readonly string[]): Set<string> {
  const found = new Set(files.map((file) => resolve(file)));
  // A set visits what is added to it on the way.
  for (const id of found) for (const imported of imports.get(id) ?? []) found.add(imported);
  return found;
}

/** Makes a test for the modules that some load, directly or not. The graph is known once all modules are read. */
function loadedBy(...files: readonly string[]): (id: string) => boolean {
  let loaded: ReadonlySet<string> | undefined;
  return (id) => (loaded ??= closure(files)).has(id);
}

const isLibrary = loadedBy(...Object.values(entries));
const isBoard = loadedBy('src/board/open-board.ts');
/** What `pegboard list` loads for a board that is only read. */
const isListing = loadedBy('src/cli/run-cli.ts', 'src/cli/commands/list.ts');

// A few chunks instead of dozens: `pegboard list` reads all that it loads from disk, file by file.
const groups = [
  // What both the library and the command need, and nothing that loads a package.
  {
    name: 'core',
    test: /src\/(?:tool\/(?!schema|define)|guard\/secrets\/(?!secret-lists)|load\/diagnostics\/diagnostic|kinds\/rag\/rag-tool-config)/,
  },
  { name: 'library', test: /src\/(?:tool\/define|pipeline|export|board\/registry)\// },
  { name: 'schema', test: /src\/(?:tool\/schema|platform\/peers)\// },
  { name: 'load-config', test: (id: string) => isListing(id) && isBoard(id) && !isLibrary(id) },
  { name: 'cli', test: (id: string) => isListing(id) && !isBoard(id) && !isLibrary(id) },
  { name: 'board', test: (id: string) => isBoard(id) && !isListing(id) && !isLibrary(id) },
];
await bundle.write({
  dir: 'dist',
  format: 'esm',
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: { includeDependenciesRecursively: false, groups },
});
await bundle.close();
// Data that is read when first needed; above the chunk that looks for it.
copyFileSync('src/text/word-meanings.bin', 'dist/word-meanings.bin');
await buildPage(resolve('dist/inspector/page'));

execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
