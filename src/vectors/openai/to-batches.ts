/** Characters in one request: some 25,000 tokens, which is far below every server's limit. */
const MOST_CHARACTERS = 100_000;

/** Cuts texts into requests that are neither too many texts nor too many characters. */
export function toBatches(texts: readonly string[], mostTexts: number): string[][] {
  const batches: string[][] = [];
  let characters = Infinity;
  for (const text of texts) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= mostTexts || characters + text.length > MOST_CHARACTERS) {
      batches.push([text]);
      characters = text.length;
    } else {
      last.push(text);
      characters += text.length;
    }
  }
  return batches;
}
