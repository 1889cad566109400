/** The English name of a language. */
export type Language = string;

type Scripts = readonly (readonly [Language, RegExp])[];
type Words = readonly (readonly [Language, ReadonlySet<string>])[];

// Both are built for the first text, because few programs need them.
let knownScripts: Scripts | undefined;
let knownWords: Words | undefined;

const listScripts = (): Scripts => [
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['Chinese', /\p{Script=Han}/gu],
  ['Korean', /\p{Script=Hangul}/gu],
  ['Thai', /\p{Script=Thai}/gu],
  ['Arabic', /\p{Script=Arabic}/gu],
  ['Hebrew', /\p{Script=Hebrew}/gu],
  ['Hindi', /\p{Script=Devanagari}/gu],
  ['Greek', /\p{Script=Greek}/gu],
  ['Russian', /\p{Script=Cyrillic}/gu],
];

/** Lists words that are frequent in one language and rare in the others. */
const listWords = (): Words => [
  [
    'English',
    // Includes words that other languages share: in English questions they count for English.
    toSet(`the of and to is are for with from this that what how my your an by it or can you please which when i do does did
      me we in on at be has have not if will would should could need want`),
  ],
  [
    'German',
    toSet(`der die das und ist ein eine einen einer für mit von zu zum zur auf nicht ich mir mich mein meine wie was welche
      welcher wo wird werden bitte kann den dem des im am aus bei oder alle`),
  ],
  [
    'French',
    toSet(`le la les des une du et est pour avec dans sur je moi mon mes ma quel quelle comment où qui que vous peux au aux ce
      cette il tous`),
  ],
  [
    'Spanish',
    toSet(
      `el la los las una y es para con en por del que cómo qué cuál quiero mi mis un se al lo dónde puedes todos está`,
    ),
  ],
  [
    'Italian',
    toSet(`il lo gli una e è per con nel della dei che come quale voglio mio mia di del un sono dove puoi tutti`),
  ],
  [
    'Portuguese',
    toSet(`o os as uma e é para com em por do da dos que como qual quero meu minha um no na onde você todos`),
  ],
  [
    'Dutch',
    toSet(`de het een en is voor met van op niet ik mij mijn hoe wat welke waar wordt kan aan uit bij alle naar`),
  ],
  ['Polish', toSet(`i w z na do jest nie się jak co który dla mój moje proszę czy gdzie wszystkie to ten`)],
  ['Turkish', toSet(`bir ve bu için ile ne nasıl hangi benim bana var mı de da olan lütfen tüm`)],
  ['Swedish', toSet(`och att det en ett för med av på är jag min mitt hur vad vilken var kan till alla inte`)],
];

const LONGEST = 2_000;
const FEWEST_WORDS = 2;

/**
 * Guesses the language of a text from its script or its most frequent words. Returns `undefined` if there is too little
 * of either: a short list of keywords could be in any language.
 */
export function guessLanguage(given: string): Language | undefined {
  const text = given.slice(0, LONGEST).normalize('NFC').toLowerCase();
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  // Only Japanese uses kana, and it has fewer of them than of the characters it shares with Chinese.
  for (const [language, script] of (knownScripts ??= listScripts())) {
    const own = text.match(script)?.length ?? 0;
    if (own > letters * (language === 'Japanese' ? 0.15 : 0.4)) return language;
  }
  const words = text.match(/\p{L}+/gu) ?? [];
  let [best, most]: [Language | undefined, number] = [undefined, 0];
  let isTied = false;
  for (const [language, own] of (knownWords ??= listWords())) {
    const count = new Set(words.filter((word) => own.has(word))).size;
    if (count === most) isTied = true;
    if (count > most) [best, most, isTied] = [language, count, false];
  }
  return isTied || most < FEWEST_WORDS ? undefined : best;
}

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}
