import type { SectionValue } from '../../load/features/built-in-section.ts';
import { joinValues, type Placed } from '../../load/features/section.ts';

/** The tools for finding others on a board: none, Pegboard's, CLImax's, or those of code mode. */
export type DiscoveryTools = boolean | 'climax' | 'code';

/** The `discovery` sections of all files. */
export type DiscoverySections = readonly Placed<SectionValue<'discovery'>>[];

/** The joined settings of all files. */
export interface DiscoverySettings extends SectionValue<'discovery'> {
  /** Tools that are listed in every mode, in the order of the files. */
  readonly pinned: string[];
}

/** Joins the sections of the files. */
export function toDiscoverySettings(sections: DiscoverySections): DiscoverySettings {
  const values = sections.map(({ value }) => value);
  const { pinned = [], ...others } = joinValues(values, { pinned: 'list' });
  return { ...others, pinned };
}
