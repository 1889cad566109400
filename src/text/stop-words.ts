/**
 * English words that say nothing about a text: articles, pronouns, helping verbs, question words.
 *
 * `in`, `not`, `for` and `all` are not included: they mean something in code and technical prose, and BM25 gives little
 * weight to words that every text has. Stores keep terms without these words: a change here needs a new
 * `TERMS_VERSION`.
 */
export const STOP_WORDS: ReadonlySet<string> = toSet(
  `a an the this that these those there i me my we us our you your he him his she her it its they them their who whom
  whose which what why how is are was were be been being am do does did has have had having will would should could can
  may might must and or of to as by at`,
);

/** Words that say nothing about a tool. Descriptions of tools are short, so prepositions and the like are noise. */
export const TOOL_STOP_WORDS: ReadonlySet<string> = toSet(
  `mine ours yours hers theirs when where all any both each few more most other some such no nor not only own same so
  than too very shall doing done but if then else because until while for with about against between into through
  during before after above below from up down in out on off over under again further once here just also s t d m re
  ve ll`,
  STOP_WORDS,
);

/** Words that only wrap what a person asks for. Tools keep them: `get` in a name distinguishes it from `set`. */
export const QUERY_STOP_WORDS: ReadonlySet<string> = toSet(
  `please want need like let help know tell give show get using use used via per within without upon etc e g ie eg
  provide looking interested able assist thanks thank hi hello hey kindly wondering trying going make sure specific
  specifically particular various something anything someone thing things way possible lets`,
  TOOL_STOP_WORDS,
);

function toSet(words: string, others: Iterable<string> = []): ReadonlySet<string> {
  return new Set([...others, ...words.split(/\s+/)]);
}
