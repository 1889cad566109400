const WORD = String.raw`[\w.+:@/-]+`;
const LIST = String.raw`${WORD}(?:\s*[,|]\s*${WORD})+`;
const QUOTED = String.raw`(?:"[\w.+:@/-]+"|'[\w.+:@/-]+'|` + '`[\\w.+:@/-]+`)';
const QUOTED_LIST = String.raw`${QUOTED}(?:(?:\s*[,|]\s*(?:or\s+|and\s+)?|\s+or\s+)${QUOTED})+`;

/** Notations for lists of values in descriptions: clap, commander, yargs, argparse, Cobra, plain. */
const IN_TEXT: readonly RegExp[] = [
  new RegExp(String.raw`\[possible values: (${LIST})\]`, 'i'),
  new RegExp(String.raw`<options: (${LIST})>`, 'i'),
  new RegExp(String.raw`\(?choices:\s*((?:"[^"]*"(?:, )?)+|${LIST})`, 'i'),
  new RegExp(
    String.raw`\b(?:one of|(?:legal|valid|allowed|possible|supported) (?:values|options)):?(?:\s+are)?:?\s+[([{](${LIST})[)\]}]`,
    'i',
  ),
  new RegExp(String.raw`\bone of:?\s+(${WORD}(?:\|${WORD})+)(?=[\s.,;)]|$)`, 'i'),
  new RegExp(String.raw`\bone of:?\s+(${LIST})\.?\s*$`, 'i'),
  new RegExp(String.raw`\bone of \[(${WORD}(?: ${WORD})+)\]`, 'i'),
  new RegExp(String.raw`\b(?:must be(?: one of)?|one of|either|values are):?\s+(${QUOTED_LIST})`, 'i'),
  new RegExp(String.raw`\((${QUOTED_LIST})\)`),
  new RegExp(String.raw`\((${WORD}(?:\|${WORD})+)\)`),
  new RegExp(String.raw`\{(${WORD}(?:[,|]${WORD})+)\}`),
];

/** Names of kinds of values rather than values: `<id|token>`. */
const KIND =
  /^(?:id|name|token|path|file|filename|url|uri|user|username|package|pkg|key|value|version|branch|tag|number|dir|directory|folder|glob|pattern|hash|sha|ref|commit|string|int|text|email|host|address|image|container)$/i;
/** Units, which follow a number: `(ms|s|m|h)`. */
const UNIT = /^(?:ns|us|ms|s|m|h|d|b|k|g|kb|mb|gb|bytes)$/i;

/** Returns the values in `{a,b,c}` or `<a|b|c>`; empty if it is only the name of a value. */
export function parseChoices(name: string): string[] {
  const inner = /^[{<[(]?(.*?)[}>\])]?$/s.exec(name.trim())?.[1] ?? '';
  const isBraced = name.trim().startsWith('{');
  const parts = inner.split(isBraced ? /[,|]/ : '|').map((part) => part.trim());
  const areWords = parts.length > 1 && parts.every((part) => new RegExp(`^${WORD}$`).test(part));
  if (!areWords || (!isBraced && parts.some((part) => KIND.test(part)))) return [];
  // `<FILE|URL>` names kinds of values; real values are rarely in capitals.
  return isBraced || parts.some((part) => /[a-z0-9]/.test(part)) ? parts : [];
}

/** Returns the values that a description lists. */
export function findChoices(description: string): string[] {
  // clap: `Possible values: - fast: quickly - slow: with care`.
  const explained = /\bpossible values:\s((?:\s?- [\w.-]+(?:: .*?)?(?=\s- |$))+)/is.exec(description)?.[1] ?? '';
  const names = [...explained.matchAll(/(?:^|\s)- ([\w.-]+)(?=:|\s|$)/g)].flatMap((match) => match[1] ?? []);
  if (names.length > 1) return names;
  for (const pattern of IN_TEXT) {
    const list = pattern.exec(description)?.[1];
    if (list === undefined) continue;
    const parts = list.split(/[,|]|\s+or\s+|\s+/).map((part) => part.trim().replaceAll(/^["'`]|["'`]$/g, ''));
    const words = [...new Set(parts)].filter((part) => part !== '' && !/^(?:or|and)$/.test(part));
    if (words.length > 1 && !words.every((word) => UNIT.test(word))) return words;
  }
  return [];
}
