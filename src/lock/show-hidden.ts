/** Characters that show nothing, or make a text show other than it is. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]|[\u115F\u1160\u3164\uFFA0]|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]/gu;

/** A text with its hidden characters spelt out, as `\u{200B}`. */
export function showHidden(text: string): string {
  return text.replaceAll(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`);
}
