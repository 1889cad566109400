import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { Tool } from '../../tool/tool.ts';
import type { OpenedFeature } from '../features/board-features.ts';
import type { BoardSkill } from '../offers/own-skills.ts';
import type { AssembleOptions } from './assemble-options.ts';

/** The entries of the files by name, each with its file. */
export type PlacedEntries = ReadonlyMap<string, { readonly entry: ToolEntry; readonly file: LoadedFile }>;

/** The parts of a reading that its list of tools is made of. */
export interface ListParts {
  readonly config: LoadedConfig;
  readonly options: AssembleOptions;
  readonly entries: PlacedEntries;
  /** The tools of the entries by name, except those that servers run. */
  readonly tools: ReadonlyMap<string, { readonly tool: Tool; readonly entry: ToolEntry }>;
  readonly host: KindHost;
  readonly skills: readonly BoardSkill[];
  /** True when scripts were left out, because the board is opened to look. */
  readonly lacksScripts: boolean;
  readonly features: readonly OpenedFeature[];
}
