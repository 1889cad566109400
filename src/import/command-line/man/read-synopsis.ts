import type { ManBlock } from './roff/block-writer.ts';

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

/** Returns the rest of a line that starts with the command; `undefined` for other lines. */
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

/** A line of a synopsis that has a line for each part, as AWS writes it. */
function toItem(line: string): string {
  // `--bucket <value>` without brackets must be given; `[--ids <value> [<value>...]]` takes several.
  if (/^--[\w-]+ <[^>]*>$/.test(line)) return `(${line})`;
  if (/^<[^>]+>(?: (?:or )?(?:<[^>]+>|NONE))+$/.test(line)) return joinBranches(line);
  return line.replace(/^(\[--[\w-]+ (<[^>]*>)) \[\2\.\.\.\]\]$/, '$1...]');
}

/** `<Local> <Uri> or <Uri> <Local>`: what stands first in each, and what second; `NONE` where nothing may stand. */
function joinBranches(line: string): string {
  const branches = line.split(' or ').map((branch) => branch.split(' ').filter((word) => word !== 'NONE'));
  const count = Math.max(...branches.map((words) => words.length));
  return Array.from({ length: count }, (_, index) => {
    const names = [...new Set(branches.flatMap((words) => words[index] ?? []))];
    const isRequired = branches.every((words) => words[index] !== undefined);
    const [only = ''] = names;
    const name = names.length === 1 && count === 1 ? only : (['<source>', '<destination>'][index] ?? only);
    return isRequired ? name : `[${name}]`;
  }).join(' ');
}

function tidy(form: string): string {
  return form
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([[(]) /g, '$1')
    .replaceAll(/ ([\])])/g, '$1')
    .trim();
}
