import { parseUsage, type Usage } from './parse-usage.ts';

/** Reads the usage of a help text. The first form counts: later ones are other ways to say it. */
export function readUsages(lines: readonly string[], command: readonly string[]): Usage {
  const start = lines.findIndex((line) => /^\s*usage\b:?/i.test(line));
  if (start === -1) return { positionals: [], options: [] };
  const first = (lines[start] ?? '').replace(/^\s*usage\b:?\s*/i, '');
  const form: string[] = first === '' ? [] : [first];
  for (const line of lines.slice(start + 1)) {
    const isNext = /^\s*(?:or:|\$)/.test(line) || startsWith(line, command);
    if (line.trim() === '' ? form.length > 0 : form.length > 0 && (isNext || !/^\s{4,}/.test(line))) break;
    if (line.trim() !== '') form.push(line.trim());
  }
  return parseUsage(dropCommand(form.join(' '), command));
}

function startsWith(line: string, [program = '']: readonly string[]): boolean {
  return line.trim().split(/\s/, 1)[0] === program;
}

/** Takes the program and the subcommands away, however the help writes them: `$ tool sub`, `/usr/bin/tool sub`. */
function dropCommand(form: string, command: readonly string[]): string {
  const [program = '', ...rest] = form.replace(/^\$\s*/, '').split(/\s+/);
  if (!/^[\w./-]+$/.test(program)) return form;
  const names = command.map((word) => word.split('/').at(-1));
  let from = 0;
  for (const name of names) if (rest[from] === name) from++;
  return rest.slice(from).join(' ');
}
