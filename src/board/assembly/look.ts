import type { GuardRequest } from '../../tool/calls/call-bounds.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedConfig } from '../../load/load-config.ts';

/** Sections that may name parts of plugins: vector stores and embedders. */
const OF_PLUGINS: ReadonlySet<unknown> = new Set(['rag', 'discovery']);

/** Returns the diagnostics with errors turned into notes if they result from secrets and plugins that were skipped. */
export function excuseLooking(
  diagnostics: readonly Diagnostic[],
  { files, lacksPlugins }: Pick<LoadedConfig, 'files' | 'lacksPlugins'>,
): Diagnostic[] {
  const isExcused = ({ file, path, severity }: Diagnostic): boolean =>
    severity === 'error' &&
    ((lacksPlugins && OF_PLUGINS.has(path[0])) ||
      files.some((one) => one.file === file && path.length > 0 && one.isUnresolved(path)));
  return diagnostics.map((one) => (isExcused(one) ? { ...one, severity: 'note' } : one));
}

/** Answers every call on a board that was opened to look. */
export function refuseToRun({ tool: { metadata } }: Pick<GuardRequest, 'tool'>): ToolError {
  const message = `The board was opened to look (mode: look), so ${metadata.name} is not called. Open it with mode: run.`;
  return new ToolError({ code: 'permission_denied', message, toolName: metadata.name });
}
