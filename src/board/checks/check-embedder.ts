import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { describeEmbedder, findMaker, type MakeEmbedder } from '../../vectors/embedder-config.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** Faults of `discovery.embedder` that its schema cannot see: an unknown platform, a key that is missing. */
export function checkEmbedder(
  files: readonly LoadedFile[],
  makers: Readonly<Record<string, MakeEmbedder>>,
): Diagnostic[] {
  return files.flatMap((file): Diagnostic[] => {
    const config = file.discovery['embedder'];
    if (!isPlainObject(config) || findMaker(config, makers) !== undefined) return [];
    try {
      describeEmbedder(config);
      return [];
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const field = error.field !== undefined && error.field in config ? [error.field] : [];
      const path = ['discovery', 'embedder', ...field];
      return [{ severity: 'error', file: file.file, path, message: error.message, place: file.locate(path) }];
    }
  });
}
