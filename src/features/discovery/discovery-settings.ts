import type { SectionValue } from '../../load/features/built-in-section.ts';
import { joinValues, type Placed } from '../../load/features/section.ts';

/** The tools for finding others that a board has: none, its own, those CLImax's clients know, or those of code mode. */
export type DiscoveryTools = boolean | 'climax' | 'code';

/** The sections `discovery` of all files. */
export type DiscoverySections = readonly Placed<SectionValue<'discovery'>>[];

/** The settings of all files together. */
export interface DiscoverySettings extends SectionValue<'discovery'> {
  /** Tools that stay listed in every mode, in the order of the files. */
  readonly pinned: string[];
}

/** Joins the sections of the files. */
export function toDiscoverySettings(sections: DiscoverySections): DiscoverySettings {
  const values = sections.map(({ value }) => value);
  const { pinned = [], ...others } = joinValues(values, { pinned: 'list' });
  return { ...others, pinned };
}
