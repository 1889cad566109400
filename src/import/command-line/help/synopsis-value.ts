import type { PageOption } from '../command-page.ts';

/**
 * `[-o=config_string]`: the synopsis tells of a value that the list of options leaves out. A letter without one there proves nothing:
 * apt-cache writes `[-agipns]`, and -p takes a file.
 */
export function withSynopsisValue(option: PageOption, other: PageOption): PageOption {
  if (other.value === undefined) return option;
  // `-d <refname>` outside of brackets may be a switch and a word.
  if (other.isRequired && !other.value.isJoined) return { ...option, mayTakeValue: true };
  return { ...option, mayTakeValue: undefined, negated: undefined, value: other.value };
}
