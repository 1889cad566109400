import { NO_PATHS, type ToolPaths } from '../guard/policy/tool-paths.ts';
import { cliPaths } from './cli/cli-paths.ts';
import type { KindHost } from './kind-host.ts';
import { runPaths } from './run/run-paths.ts';
import type { ToolEntry } from './tool-entry.ts';

/**
 * What the kind of an entry knows about the paths in its arguments; `undefined` where neither the kind nor the entry says.
 *
 * Every kind answers here, and one that does not is not trusted with paths.
 */
export function toolPaths(entry: ToolEntry, host: Pick<KindHost, 'cwd' | 'env' | 'prefix'>): ToolPaths | undefined {
  const { paths } = entry;
  switch (entry.type) {
    case 'cli':
      return paths && cliPaths(entry, paths, host);
    case 'run':
      return paths && runPaths(entry, paths, host);
    case 'http':
      // Only the service that is asked knows where its relative paths start.
      return paths && { names: paths, folders: () => [] };
    case 'rag':
      // What is searched and stored is text: no argument is opened.
      return paths === undefined ? NO_PATHS : { names: paths, folders: () => [] };
    case 'broken':
      // It opens nothing.
      return NO_PATHS;
    case 'script':
    case 'mcp':
      // Their tools say it themselves, in their metadata.
      return undefined;
  }
}
