const WORD = String.raw`[\w.+:@/-]+`;
const LIST = String.raw`${WORD}(?:\s*[,|]\s*${WORD})+`;

/** Ways in which descriptions list values: clap, commander, yargs, argparse, plain. */
const IN_TEXT: readonly RegExp[] = [
  new RegExp(String.raw`\[possible values: (${LIST})\]`, 'i'),
  new RegExp(String.raw`\(?choices:\s*((?:"[^"]*"(?:, )?)+|${LIST})`, 'i'),
  new RegExp(String.raw`\bone of:?\s+[([{]?(${LIST})[)\]}.]?\s*$`, 'i'),
  new RegExp(String.raw`\((${WORD}(?:\|${WORD})+)\)`),
  new RegExp(String.raw`\{(${WORD}(?:[,|]${WORD})+)\}`),
];

/** The values in `{a,b,c}` or `<a|b|c>`; none when it is only the name of a value. */
export function parseChoices(name: string): string[] {
  const inner = /^[{<[(]?(.*?)[}>\])]?$/s.exec(name.trim())?.[1] ?? '';
  const isBraced = name.trim().startsWith('{');
  const parts = inner.split(isBraced ? /[,|]/ : '|').map((part) => part.trim());
  const areWords = parts.length > 1 && parts.every((part) => new RegExp(`^${WORD}$`).test(part));
  // `<FILE|URL>` names kinds of values; values themselves are rarely in capitals.
  return areWords && (isBraced || parts.some((part) => /[a-z0-9]/.test(part))) ? parts : [];
}

/** The values that a description lists. */
export function findChoices(description: string): string[] {
  for (const pattern of IN_TEXT) {
    const list = pattern.exec(description)?.[1];
    if (list === undefined) continue;
    const parts = list.split(/[,|]/).map((part) => part.trim().replaceAll(/^"|"$/g, ''));
    const words = [...new Set(parts)].filter((part) => part !== '');
    if (words.length > 1) return words;
  }
  return [];
}
