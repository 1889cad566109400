// Matches a string sequence (OSC, DCS, SOS, PM, APC) up to its end, a CSI sequence, any other escape, then stray controls.
// No class contains a character that ends it or starts another sequence, so matching takes linear time.
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  /(?:\x1B[\]PX^_]|[\x9D\x90\x98\x9E\x9F])[^\x07\x1B\x90\x98\x9C-\x9F]*(?:\x07|\x1B\\|\x9C)|(?:\x1B\[|\x9B)[0-?]*[ -/]*[@-~]|\x1B[ -/]*[0-~]?|[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/g;

/** Removes terminal sequences (colours, titles, links, cursor moves) and controls; keeps newlines, returns and tabs. */
export function stripEscapes(text: string): string {
  return text.replaceAll(SEQUENCES, '');
}
