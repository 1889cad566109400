import type { Feature } from '../load/features/feature.ts';
import type { BoardMode } from '../load/board-mode.ts';
import type { Plugin } from '../load/plugins/define-plugin.ts';
import type { Ask } from '../tool/calls/ask.ts';
import type { Tool } from '../tool/tool.ts';
import type { KeptTools } from './assembly/make-tools.ts';
import type { BoardResources } from './board-resources.ts';
import type { OpenBoardOptions } from './open-board-options.ts';

/** The parts of a board that every reading of its files uses. */
export interface BoardSetup {
  /** The files, folders and globs of the board. */
  readonly given: readonly string[];
  readonly options: OpenBoardOptions;
  readonly resources: BoardResources;
  /** The built-in features; those of plugins follow them. */
  readonly features: readonly Feature[];
  readonly mode: BoardMode;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The data folder that the caller chose. */
  readonly data: string | undefined;
  /** Tools that code adds to those of the files. */
  readonly tools: readonly Tool[];
  readonly plugins: readonly Plugin[];
  /** Sections that are given in code. */
  readonly sections: Readonly<Record<string, unknown>> | undefined;
  readonly ask: Ask;
  /** The tools of the latest valid reading. */
  readonly kept: { latest: KeptTools | undefined };
}
