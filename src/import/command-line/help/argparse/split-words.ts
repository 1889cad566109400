const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' };

/** Cuts a usage line of argparse at blanks outside of brackets. */
export function splitWords(text: string): string[] {
  return splitOutside(text, ' ');
}

/** Cuts a text at a separator that stands outside of brackets. */
export function splitOutside(text: string, separator: ' ' | '|'): string[] {
  const words: string[] = [];
  const open: string[] = [];
  let word = '';
  for (const character of text) {
    if (open.length === 0 && character === separator) {
      words.push(word);
      word = '';
      continue;
    }
    const close = CLOSING[character];
    if (close !== undefined) open.push(close);
    else if (open.at(-1) === character) open.pop();
    word += character;
  }
  return [...words, word].map((part) => part.trim()).filter((part) => part !== '');
}
