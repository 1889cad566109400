/** What only a shell would understand: pipes, redirections, variables, placeholders, several commands. */
const SHELL = /[|&;<>$`*~#!\\\n{}()]/;

/** The words of a command line as a shell would cut it; `undefined` for one that does more than call one command. */
export function splitLine(line: string): string[] | undefined {
  const words: string[] = [];
  let current: string | undefined;
  let quote = '';
  for (const character of line.trim()) {
    if (quote !== '') {
      if (character === quote) quote = '';
      // In double quotes a shell still fills in variables.
      else if (quote === '"' && /[$`\\]/.test(character)) return undefined;
      else current = `${current ?? ''}${character}`;
    } else if (character === '"' || character === "'") {
      quote = character;
      current ??= '';
    } else if (/\s/.test(character)) {
      if (current !== undefined) words.push(current);
      current = undefined;
    } else if (SHELL.test(character)) return undefined;
    else current = `${current ?? ''}${character}`;
  }
  if (quote !== '') return undefined;
  return current === undefined ? words : [...words, current];
}
