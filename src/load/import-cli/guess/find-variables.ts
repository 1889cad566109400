/** A variable's name: several words, or one where it stands in a list of them. */
const NAME = '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{2,})';
/** The same in a sentence, where a short word may be anything: `the REVISION environment variable` of a hook. */
const LONG_NAME = '([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{8,})';
/** How pages name a variable that they read. */
const NAMED: readonly RegExp[] = [
  // `[env: TOKEN=]`, `(env TOKEN)`, `(env var: TOKEN)`, `[$TOKEN]`
  new RegExp(String.raw`[[(]env(?:ironment)?(?: var(?:iable)?)?[:=]?\s*["'\x60$]*${NAME}\b`, 'g'),
  new RegExp(String.raw`\[\$${NAME}\b`, 'g'),
  new RegExp(String.raw`\b[Ee]nvironment variables?:?\s+["'\x60$]*${LONG_NAME}\b`, 'g'),
  new RegExp(String.raw`\b${LONG_NAME}["'\x60]* (?:environment |env )(?:variables?|vars?)\b`, 'g'),
  // `or $KUBECONFIG`, and not what an example has in it.
  new RegExp(
    String.raw`(?:\b(?:via|from|by|in|to|the|or|and|set|use|default:?)|[(,])\s+["'\x60]?\$\{?${LONG_NAME}\b`,
    'g',
  ),
];
const LISTED = new RegExp(String.raw`^\s*\$?${NAME}(?=\s*(?:[=:,]|\s\s|$))`);
/**
 * Variables that say nothing of where a command goes and as whom: what it always has, how it prints, and programs that need a
 * person; what ssh and git set for what they start.
 */
const OTHER =
  /^(?:PATH|HOME|LANG|LANGUAGE|LC_\w+|USER|LOGNAME|SHELL|TERM\w*|COLUMNS|LINES|PWD|OLDPWD|EDITOR|VISUAL|PAGER|BROWSER|DISPLAY|LESS\w*|MORE|MANPAGER|NO_COLOR|CLICOLOR\w*|FORCE_COLOR|LD_\w+|IFS|CDPATH|ENV|BASH_ENV|POSIXLY_CORRECT|MAIL|NLSPATH|SUDO_\w+|INIT_CWD|SSH_(?!AUTH_SOCK)\w+|GIT_(?!SSH|CONFIG|AUTHOR|COMMITTER|SSL_CAINFO|SSL_NO_VERIFY)\w+)$|_(?:EDITOR\w*|\w*PAGER\w*|ASKPASS\w*|COLORS?|HISTORY|HISTFILE|BROWSER|LESS\w*)$|TRACE|DEBUG|_LOG(?:_|$)/;

/** The variables that a page says a command reads; `listed` are the lines of its section about them. */
export function findVariables(text: string, listed: readonly string[] = []): string[] {
  const named = NAMED.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
  const own = listed.map((line) => LISTED.exec(line)?.[1] ?? '');
  return [...new Set([...own, ...named])].filter((name) => name !== '' && !OTHER.test(name));
}
