/** Turns a text into the numbers of its word pieces, at most `most` of them. */
export type WordPieceReader = (text: string, most: number) => number[];

const CONTINUED = '##';
const LONGEST_WORD = 100;
/** Longer texts, in characters for each token, are cut before they are read. */
const LONGEST_TOKEN = 40;
const IDEOGRAPH =
  '\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2CEAF}\\u{2F800}-\\u{2FA1F}';
const ALONE = `\\p{P}$+<=>^\`|~${IDEOGRAPH}`;
const WORD = new RegExp(`[${ALONE}]|[^\\s${ALONE}]+`, 'gu');

/** Creates a reader for an uncased BERT vocabulary. Throws if the vocabulary lacks its special tokens. */
export function createWordPieces(vocabulary: Readonly<Record<string, number>>): WordPieceReader {
  const known = new Map(Object.entries(vocabulary));
  const special = (name: string): number => {
    const token = known.get(name);
    if (token === undefined) throw new Error(`The vocabulary of the model has no token ${name}. Install it again.`);
    return token;
  };
  const [start, end, unknown] = [special('[CLS]'), special('[SEP]'), special('[UNK]')];
  return (text, most) => {
    const tokens = [start];
    for (const [word] of normalize(text.slice(0, most * LONGEST_TOKEN)).matchAll(WORD)) {
      tokens.push(...(split(word, known) ?? [unknown]));
      if (tokens.length >= most) break;
    }
    tokens.length = Math.min(tokens.length, most - 1);
    tokens.push(end);
    return tokens;
  };
}

/** Converts to lower case without accents and control characters. */
function normalize(text: string): string {
  return text
    .replaceAll(/(?![\t\n\r])[\p{C}\uFFFD]/gu, '')
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** Finds the longest known pieces from left to right. Returns `undefined` if a part of the word is unknown. */
function split(word: string, known: ReadonlyMap<string, number>): number[] | undefined {
  const whole = known.get(word);
  if (whole !== undefined) return [whole];
  // Pieces end between characters, never inside one.
  const characters = Array.from(word);
  if (characters.length > LONGEST_WORD) return undefined;
  const pieces: number[] = [];
  for (let from = 0; from < characters.length;) {
    let to = characters.length;
    let piece: number | undefined;
    for (; to > from; to--) {
      piece = known.get((from === 0 ? '' : CONTINUED) + characters.slice(from, to).join(''));
      if (piece !== undefined) break;
    }
    if (piece === undefined) return undefined;
    pieces.push(piece);
    from = to;
  }
  return pieces;
}
