import type { GuardRequest } from '../../tool/calls/call-bounds.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ToolEntry } from '../../kinds/kind.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import { CODE_FILE, type LoadedConfig } from '../../load/load-config.ts';
import { NOT_TRUSTED } from '../../load/board-mode.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { toDiagnostic } from './make-tools.ts';

/** Sections that may name what only a plugin brings: vector stores and embedders. */
const OF_PLUGINS: ReadonlySet<unknown> = new Set(['rag', 'discovery']);

/**
 * The warning about an entry whose code is not run, as the board is opened to look; none for other entries. A file of code that
 * a person named is run.
 */
export function explainLeftOut(entry: ToolEntry, file: LoadedFile): Diagnostic[] {
  if (!entry.kind.runsCode || CODE_FILE.test(file.file)) return [];
  const message = `the ${entry.kind.type} is not loaded, so its tools are not known: ${NOT_TRUSTED}.`;
  return [toDiagnostic({ path: [], severity: 'warning', message }, entry, file)];
}

/** The same diagnostics, with notes for errors that secrets and plugins are to blame for that were left out to look. */
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

/** The answer to every call of a board that was opened to look. */
export function refuseToRun({ tool: { metadata } }: Pick<GuardRequest, 'tool'>): ToolError {
  const message = `The board was opened to look (mode: look), so ${metadata.name} is not called. Open it with mode: run.`;
  return new ToolError({ code: 'permission_denied', message, toolName: metadata.name });
}
