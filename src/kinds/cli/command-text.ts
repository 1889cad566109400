const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}/;
const OPERATORS = new Set(['|', '||', '&', '&&', ';', '<', '<<', '>', '>>']);
/** `2>&1`, `>out.txt`, but not `>=`. */
const REDIRECTION = /^[012&]?>>?(?!=)\S+$/;
/** Words that YAML reads as strings without quotes, even in a flow list. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_./][\w./-]*$|^--?[A-Za-z][\w-]*$/i;

interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

/**
 * Finds syntax that only a shell understands in a command given as a string, which Pegboard splits at spaces; `undefined` for
 * none.
 */
export function checkCommandText(command: string): string | undefined {
  const placeholder = PLACEHOLDER.exec(command);
  if (placeholder !== null) {
    return `"${placeholder[0]}" is not filled in here: values are given under args, such as args: [{name: ${placeholder[1]}, positional: true}]. Write the command as a list to pass it on as it is.`;
  }
  const words = splitAsShell(command);
  const operator = words.find(({ text, isQuoted }) => !isQuoted && isOperator(text));
  const quoted = words.find(({ isQuoted }) => isQuoted);
  const substitution = quoted === undefined ? /\$\(|`/.exec(command)?.[0] : undefined;
  const shell = operator?.text ?? substitution;
  if (shell !== undefined) {
    const list = toList(['sh', '-c', command.trim()]);
    return `there is no shell, and ${JSON.stringify(shell)} would be an argument like any other. Write the command as a list, or run a shell on purpose: command: ${list}.`;
  }
  if (quoted === undefined) return checkWords(words.map(({ text }) => text));
  return `there is no shell, and quotes would be part of the arguments. Write a list: command: ${toList(words.map(({ text }) => text))}.`;
}

/** Finds words that a shell would expand, such as `FOO=1`, `$HOME` and `~/notes`. */
function checkWords(words: readonly string[]): string | undefined {
  const [first = ''] = words;
  const setting = /^([A-Z_][A-Z0-9_]*)=(.*)$/s.exec(first);
  if (setting !== null && words.length > 1) {
    return `there is no shell, and ${JSON.stringify(first)} would be the program. Set variables under env: { ${setting[1]}: ${JSON.stringify(setting[2])} }.`;
  }
  const variable = words.find((word) => /^\$[A-Z_][A-Z0-9_]*$/.test(word));
  if (variable !== undefined) {
    return `there is no shell, and "${variable}" would be an argument like any other. Write \${${variable.slice(1)}} for the value of the variable, or the command as a list to pass it on as it is.`;
  }
  const home = words.find((word) => word === '~' || word.startsWith('~/'));
  if (home === undefined) return undefined;
  return `there is no shell, and "${home}" would be an argument like any other. Write \${HOME}${home.slice(1)}, or the command as a list to pass it on as it is.`;
}

function isOperator(word: string): boolean {
  return OPERATORS.has(word) || word.endsWith(';') || REDIRECTION.test(word);
}

/** Splits a text like a shell. An unclosed quote extends to the end. */
function splitAsShell(command: string): Word[] {
  const words = command.match(/(?:"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|[^\s"'])+/gs) ?? [];
  return words.map((word) => ({
    text: word.replaceAll(/"((?:\\.|[^"\\])*)(?:"|$)|'([^']*)(?:'|$)/gs, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replaceAll(/\\(["\\$`])/g, '$1'),
    ),
    isQuoted: /["']/.test(word),
  }));
}

function toList(words: readonly string[]): string {
  return `[${words.map((word) => (PLAIN.test(word) ? word : JSON.stringify(word))).join(', ')}]`;
}
