/**
 * English words that say nothing about a text: articles, pronouns, helping verbs, question words.
 *
 * Words such as `in`, `not`, `for` and `all` stay. They are meaningful in code and technical prose, and BM25 weighs
 * down what every text has.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those there i me my we us our you your he him his she her it its they them their who whom
  whose which what why how is are was were be been being am do does did has have had having will would should could can
  may might must and or of to as by at`.split(/\s+/),
);
