/** A verb with its particle, where a verb can be: `log in` at the start or after `to`, but not `the log in …`. */
const VERB =
  /(?<=^\W*|[.!?;,]\s+|\b(?:to|i|we|you|and|then|or|please|can|cannot|let|me|should|must)\s+)([a-z]{2,12}) (in|out|on|off|up|down|back)\b/gi;
const SWITCH = /\b(?:turn|switch)(?:ed|ing|s|es)?(?: (?:it|them|this|that))? (on|off)\b/gi;
/** Opening a request or an issue means creating one. */
const OPEN =
  /\bopen(?:ing)? (?:an?|new|another) (?=(?:[\w-]+ ){0,2}(?:request|pr|issue|ticket|case|bug|incident|thread|discussion|account)\b)/gi;

/** Other phrases, with the names tools have for them. */
const PHRASES: readonly (readonly [said: RegExp, called: readonly string[]])[] = [
  [/\broll(?:ed|ing|s)?(?: (?:it|them|this|that))? ?back\b/gi, ['rollback', 'undo', 'revert']],
  [/\b(?:shut(?:ting|s)?|power(?:ed|ing|s)?)(?: (?:it|them|this|that))? ?(?:down|off)\b/gi, ['shutdown', 'poweroff']],
  [/\b(?:restart|start) (?:my|the|this|a) (?:machine|computer|server|host|pc|laptop)\b(?: again)?/gi, ['reboot']],
  [/\bwho (?:am i|i am)\b/gi, ['whoami']],
  [/\b(?:free(?:ing)?|save|reclaim)(?: up)?(?: disk| some| more)* space\b/gi, ['prune', 'clean']],
  [/\b(?:throw|put)(?:ing|s)? away\b/gi, ['discard', 'reset', 'stash']],
  [/\b(?:at|on|after) (?:boot|start-?up|every start)\b/gi, ['enable']],
];

/** A word of each phrase; most queries have none. */
const MAY_BE_PHRASE = /\b(?:roll|shut|power|restart|start|who|free|save|reclaim|throw|put|boot)/i;

/**
 * Writes phrasal verbs as tools name them: `log in` as `login` if a tool of the board has that word, `turn off` as
 * `disable`, `open an issue` with `create`, `at boot` with `enable`. By itself, `log` would find logs, and particles
 * are ignored.
 */
export function joinVerbs(query: string, isOnBoard: (word: string) => boolean): string {
  if (!query.includes(' ')) return query;
  const joined = query
    .replaceAll(VERB, (whole, verb: string, particle: string) => {
      const word = `${verb}${particle}`.toLowerCase();
      return isOnBoard(word) ? word : whole;
    })
    .replaceAll(SWITCH, (whole, particle: string) => {
      const meant = particle.toLowerCase() === 'on' ? 'enable' : 'disable';
      return isOnBoard(meant) ? `${whole} ${meant}` : whole;
    })
    .replaceAll(OPEN, (whole) => (isOnBoard('create') ? `${whole}create ` : whole));
  return MAY_BE_PHRASE.test(joined) ? addWords(joined, isOnBoard) : joined;
}

function addWords(query: string, isOnBoard: (word: string) => boolean): string {
  return PHRASES.reduce(
    (text, [said, called]) =>
      text.replaceAll(said, (whole) => [whole, ...called.filter((word) => isOnBoard(word))].join(' ')),
    query,
  );
}
