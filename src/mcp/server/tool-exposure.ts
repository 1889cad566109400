import type { Tool } from '../../core/tool.ts';
import type { Access } from './caller.ts';

/** How tools are shown: all of them, only the ones that find others, or whichever fits. */
export type ExposureMode = 'classic' | 'discovery' | 'auto';

/** What decides which tools a client sees. */
export interface ExposureOptions {
  readonly mode: ExposureMode;
  /** Tokens that all definitions may take before `auto` shows only a few. */
  readonly tokenBudget: number;
  /** Tools that are listed in every mode: their names. */
  readonly pinned: ReadonlySet<string>;
  /** The tools that find and call others; made when they are needed. */
  discoveryTools(): readonly Tool[];
  /** What the definitions of tools cost a model to read. */
  tokens(tools: readonly Tool[]): number;
}

/** The tools to list for somebody, in an order that depends on the board alone. */
export function exposeTools(all: readonly Tool[], access: Access, options: ExposureOptions): readonly Tool[] {
  const allowed = all.filter((tool) => access.allows(tool));
  const { mode, pinned } = options;
  if (mode === 'classic') return allowed;
  if (mode === 'auto' && options.tokens(allowed) <= options.tokenBudget) return allowed;
  const discoveryTools = options.discoveryTools();
  if (discoveryTools.length === 0) return allowed;
  const own = new Set(discoveryTools.map(({ metadata }) => metadata.name));
  // The board may have them registered already; they come first, once.
  return [...discoveryTools, ...allowed.filter(({ metadata }) => pinned.has(metadata.name) && !own.has(metadata.name))];
}
