import { isDiscoveryTool } from '../tool/tool-marks.ts';
import type { PreparedTool } from './exporter.ts';

/** Options of exporters whose provider runs programs of its model. */
export interface ProgrammaticOptions {
  /**
   * Whether programs that the provider runs may call the tools: besides the model (`true`), or in its place (`'only'`). Needs the
   * provider's own tool for programs in the request. Default: only the model calls them.
   */
  readonly programmatic?: boolean | 'only';
}

/** Who may call a tool in a provider's words; `undefined` where only the model may. What is left out is reported. */
export function allowedCallers<Caller extends string>(
  { tool, report }: Pick<PreparedTool, 'tool' | 'report'>,
  { programmatic = false }: ProgrammaticOptions,
  program: Caller,
): ('direct' | Caller)[] | undefined {
  if (programmatic === false) return undefined;
  if (isDiscoveryTool(tool)) {
    const message = 'Only the model calls it: it leads to other tools, which programs call by their own names.';
    report({ path: 'name', rule: 'allowed_callers', action: 'dropped', message });
    return undefined;
  }
  return programmatic === 'only' ? [program] : ['direct', program];
}
