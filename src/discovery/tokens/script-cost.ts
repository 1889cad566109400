/** The range of a script, with the least cost of a word and the cost of each letter. */
interface Script {
  readonly from: number;
  readonly to: number;
  readonly word: number;
  readonly letter: number;
}

/** Fitted to o200k_base. */
const SCRIPTS: readonly Script[] = [
  { from: 0x80, to: 0x24f, word: 0.75, letter: 0.26 },
  { from: 0x370, to: 0x3ff, word: 0.7, letter: 0.32 },
  { from: 0x400, to: 0x52f, word: 0.75, letter: 0.15 },
  { from: 0x530, to: 0x58f, word: 0.8, letter: 0.26 },
  { from: 0x590, to: 0x5ff, word: 0.75, letter: 0.28 },
  { from: 0x600, to: 0x7ff, word: 0.6, letter: 0.28 },
  { from: 0x900, to: 0x97f, word: 0.5, letter: 0.28 },
  { from: 0x980, to: 0xdff, word: 0.6, letter: 0.28 },
  { from: 0xe00, to: 0xeff, word: 0.5, letter: 0.32 },
  { from: 0x10a0, to: 0x10ff, word: 0.8, letter: 0.27 },
  { from: 0x3040, to: 0x30ff, word: 0.3, letter: 0.55 },
  { from: 0x3400, to: 0x9fff, word: 0.3, letter: 0.62 },
  { from: 0xac00, to: 0xd7af, word: 0.4, letter: 0.5 },
];
const OTHER: Script = { from: 0, to: 0xffff, word: 0.6, letter: 0.5 };

/** Estimates the tokens of a word with letters outside ASCII; scripts without spaces may be mixed. */
export function scriptCost(word: string, hasSign: boolean): number {
  let cost = 0;
  let least = 0;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code < 128) {
      cost += 0.26;
      continue;
    }
    const script = SCRIPTS.find(({ from, to }) => code >= from && code <= to) ?? OTHER;
    cost += script.letter;
    least = Math.max(least, script.word);
  }
  return Math.max(1, cost + least) + (hasSign ? 0.4 : 0);
}
