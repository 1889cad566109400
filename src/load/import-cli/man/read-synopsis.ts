import type { ManBlock } from './roff/man-block.ts';

/** The forms of a synopsis, each without the command's own words. */
export function readSynopsis(blocks: readonly ManBlock[], command: readonly string[]): string[] {
  const forms: string[] = [];
  for (const { type, lines } of blocks) {
    if (type !== 'text' && type !== 'literal') continue;
    let isOpen = false;
    for (const line of lines) {
      if (line.trim() === '') continue;
      const rest = behindCommand(line, command);
      if (rest !== undefined) forms.push(rest);
      else if (isOpen) forms.push(`${forms.pop() ?? ''} ${toItem(line.trim())}`);
      else continue;
      isOpen = true;
    }
  }
  return forms.map(tidy);
}

/** What stands behind the command in a line that starts with it; `undefined` for other lines. */
function behindCommand(line: string, command: readonly string[]): string | undefined {
  const names = command.map((word) => word.split('/').at(-1) ?? word);
  const text = line.trim().replace(/^\$\s+/, '');
  // `git commit`, `git-commit`, and only `commit` as AWS writes it.
  for (const name of new Set([names.join(' '), names.join('-'), names.at(-1) ?? ''])) {
    if (text === name) return '';
    if (text.startsWith(`${name} `)) return text.slice(name.length + 1);
  }
  return undefined;
}

/** `--bucket <value>` alone on its line, as AWS writes an option that must be given. */
function toItem(line: string): string {
  return /^--[\w-]+ <[^>]*>$/.test(line) ? `(${line})` : line;
}

function tidy(form: string): string {
  return form
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([[(]) /g, '$1')
    .replaceAll(/ ([\])])/g, '$1')
    .trim();
}
