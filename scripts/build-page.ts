// Builds the inspector's page into a folder: its libraries are part of it, so nothing of them is needed at run time.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
/** Libraries that the page includes. */
const LIBRARIES = ['react', 'react-dom', 'scheduler'];

/** Builds the page, for production also where a test runner says otherwise: React for development is much larger. */
export async function buildPage(folder: string): Promise<void> {
  process.env['NODE_ENV'] = 'production';
  await build({
    configFile: false,
    root: join(root, 'src/inspector/page'),
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      // The content security policy allows no data addresses for scripts and styles, and the page is one chunk.
      assetsInlineLimit: 0,
      modulePreload: false,
    },
  });
  const licenses = LIBRARIES.map((name) => {
    return `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8').trim()}\n`;
  });
  writeFileSync(join(folder, 'LICENSES.txt'), licenses.join('\n---\n\n'));
}
