import type { Tool } from '../../tool/tool.ts';

/** How tools are shown: all of them, only the ones that find others, or whichever fits. */
export type ExposureMode = 'classic' | 'discovery' | 'auto';

/** What decides which tools a client sees. */
export interface ExposureOptions {
  readonly mode: ExposureMode;
  /** Names of tools that are listed in every mode. */
  readonly pinned: ReadonlySet<string>;
  /** The tools that find and call others; made when they are needed. */
  discoveryTools(): readonly Tool[];
  /** Whether the definitions of all these tools are little enough to read. */
  fits(tools: readonly Tool[]): boolean;
}

/** The tools to list, in an order that depends on the board alone: what was found does not change what is listed. */
export function exposeTools(all: readonly Tool[], options: ExposureOptions): readonly Tool[] {
  const { mode, pinned } = options;
  if (mode === 'classic' || (mode === 'auto' && options.fits(all))) return all;
  const discoveryTools = options.discoveryTools();
  const own = new Set(discoveryTools.map(({ metadata }) => metadata.name));
  const kept = all.filter(({ metadata }) => pinned.has(metadata.name) && !own.has(metadata.name));
  return [...discoveryTools, ...kept];
}
