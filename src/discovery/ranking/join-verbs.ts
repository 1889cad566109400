/** A verb and its particle, where a verb can stand: `log in` at the start or behind `to`, but not `the log in …`. */
const VERB =
  /(?<=^\W*|[.!?;,]\s+|\b(?:to|i|we|you|and|then|or|please|can|cannot|let|me|should|must)\s+)([a-z]{2,12}) (in|out|on|off|up|down|back)\b/gi;
const SWITCH = /\b(?:turn|switch)(?:ed|ing|s|es)?(?: (?:it|them|this|that))? (on|off)\b/gi;
/** Who opens a request or an issue makes one. */
const OPEN =
  /\bopen(?:ing)? (?:an?|new|another) (?=(?:[\w-]+ ){0,2}(?:request|pr|issue|ticket|case|bug|incident|thread|discussion|account)\b)/gi;

/**
 * Writes verbs of two words as tools have them: `log in` as `login` where a tool of the board has that word, `turn off` as
 * `disable`, `open an issue` with `create`. Read alone, `log` finds logs, and particles are left out.
 */
export function joinVerbs(query: string, isOnBoard: (word: string) => boolean): string {
  if (!query.includes(' ')) return query;
  return query
    .replaceAll(VERB, (whole, verb: string, particle: string) => {
      const joined = `${verb}${particle}`.toLowerCase();
      return isOnBoard(joined) ? joined : whole;
    })
    .replaceAll(SWITCH, (whole, particle: string) => {
      const meant = particle.toLowerCase() === 'on' ? 'enable' : 'disable';
      return isOnBoard(meant) ? `${whole} ${meant}` : whole;
    })
    .replaceAll(OPEN, (whole) => (isOnBoard('create') ? `${whole}create ` : whole));
}
