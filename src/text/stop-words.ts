/** Words that say nothing about a tool, wherever they stand. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those i me my mine we us our ours you your yours he him his she her hers it its they them
  their theirs who whom whose which what when where why how all any both each few more most other some such no nor not
  only own same so than too very can could will would shall should may might must do does did doing done have has had
  having be is am are was were been being and or but if then else because as until while of at by for with about against
  between into through during before after above below to from up down in out on off over under again further once here
  there just also s t d m re ve ll`.split(/\s+/),
);

/** Words that only wrap what somebody asks for. Tools keep them: `get` in a name tells it from `set`. */
export const QUERY_STOP_WORDS: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...`please want need like let help know tell give show get using use used via per within without upon etc e g ie
  eg provide looking interested able assist thanks thank hi hello hey kindly wondering trying going make sure specific
  specifically particular various something anything someone thing things way possible lets`.split(/\s+/),
]);
