// Builds dist/: bundled JavaScript that shares chunks between entry points, and one .d.ts per module.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { rolldown } from 'rolldown';

rmSync('dist', { recursive: true, force: true });

const bundle = await rolldown({
  input: { index: 'src/index.ts', langchain: 'src/langchain.ts', 'ai-sdk': 'src/ai-sdk.ts', cli: 'src/cli/main.ts' },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
});
await bundle.write({ dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js', sourcemap: false });
await bundle.close();

execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
