import { isDiscoveryTool } from '../tool/tool-marks.ts';
import type { PreparedTool } from './exporter.ts';

/** Options of exporters whose provider runs its model's programs. */
export interface ProgrammaticOptions {
  /**
   * Lets programs that the provider runs call the tools: in addition to the model (`true`) or instead of it (`'only'`). Requires
   * the provider's own tool for programs in the request. Default: only the model calls them.
   */
  readonly programmatic?: boolean | 'only';
}

/**
 * Returns a tool's allowed callers in the provider's terms; `undefined` if only the model may call it. Reports ignored settings.
 */
export function allowedCallers<Caller extends string>(
  { tool, report }: Pick<PreparedTool, 'tool' | 'report'>,
  { programmatic = false }: ProgrammaticOptions,
  program: Caller,
): ('direct' | Caller)[] | undefined {
  if (programmatic === false) return undefined;
  if (isDiscoveryTool(tool)) {
    const message = 'Only the model calls it: it forwards to other tools, which programs call by their own names.';
    report({ path: 'name', rule: 'allowed_callers', action: 'dropped', message });
    return undefined;
  }
  return programmatic === 'only' ? [program] : ['direct', program];
}
