const SHOWN = 160;
/** English and identifiers, for the tokenizers of today. */
const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens found tools cost: a line each, with the name and the start of the description. */
export function costOfHits(hits: readonly { readonly name: string; readonly description: string }[]): number {
  const lines = hits.map(({ name, description }) => `${name}: ${description.slice(0, SHOWN)}`);
  return Math.ceil(lines.join('\n').length / CHARACTERS_PER_TOKEN);
}
