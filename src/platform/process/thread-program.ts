import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ToolError } from '../../tool/tool-error.ts';

/**
 * Finds the program of a thread: next to the source that starts it, or in the build, above or next to its chunk.
 *
 * `from` is the `import.meta.url` of the file that starts the thread.
 */
export function findThreadProgram(name: string, from: string): URL {
  const places = [`./${name}.ts`, `../${name}.js`, `./${name}.js`].map((file) => new URL(file, from));
  const found = places.find((url) => existsSync(fileURLToPath(url)));
  if (found !== undefined) return found;
  const message = `The package lacks ${name}.js, the program of a thread. Install pegboard again.`;
  throw new ToolError({ code: 'execution_failed', message });
}
