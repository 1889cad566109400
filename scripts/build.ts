// Builds dist/: bundled JavaScript that shares chunks between entry points, and one .d.ts per module.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { buildPage } from './build-page.ts';

rmSync('dist', { recursive: true, force: true });

const bundle = await rolldown({
  input: {
    index: 'src/index.ts',
    langchain: 'src/langchain.ts',
    'ai-sdk': 'src/ai-sdk.ts',
    mcp: 'src/mcp.ts',
    rag: 'src/rag.ts',
    // Not an entry for people: the thread of the local embedder.
    'embed-worker': 'src/embedders/local/embed-worker.ts',
    agent: 'src/agent.ts',
    testing: 'src/testing.ts',
    inspector: 'src/inspector.ts',
    cli: 'src/cli/main.ts',
  },
  platform: 'node',
  // What the grouping below asks for; entries keep exactly their own exports, which a test holds.
  preserveEntrySignatures: 'allow-extension',
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
});
// A few chunks instead of dozens: `pegboard list` reads all that it loads from disk, file by file.
const groups = [
  // What both the library and the command need, and nothing that loads a package.
  {
    name: 'core',
    test: /src\/(?:core\/|execute\/(?:redact|find-strings|secret-forms|unescaped-text)|config\/diagnostic|kinds\/rag\/rag-tool-config)/,
  },
  { name: 'library', test: /src\/(?:define|execute|export|registry)\// },
  { name: 'schema', test: /src\/(?:schema|peers)\// },
  {
    name: 'cli',
    test: /src\/cli\/(?:run-cli|parse-command-line|commands|command|help|style|columns|usage-error|cli-context|find-command|find-config|list-tools|list-board|use-board|commands\/list|read-version)\.ts/,
  },
  {
    name: 'load-config',
    test: /src\/config\/(?!diagnostic|open-board|assemble|apply-policy|watch-files|container-prefix|board-discovery|check-embedder|clean-diagnostics|combine-tools|equip-board|lock-gate|open-servers|read-discovery|read-servers|server-board)/,
  },
];
await bundle.write({
  dir: 'dist',
  format: 'esm',
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: { includeDependenciesRecursively: false, groups },
});
await bundle.close();
// Data that is read when first needed; above the chunk that looks for it.
copyFileSync('src/discovery/text/word-meanings.bin', 'dist/word-meanings.bin');
await buildPage(resolve('dist/inspector/page'));

execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
