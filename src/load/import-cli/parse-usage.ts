import type { HelpOption, HelpPositional } from './help-page.ts';
import { parseChoices } from './parse-choices.ts';
import { parseOption } from './parse-option.ts';

/** What a usage line says: words, and options where it spells them out. */
export interface Usage {
  readonly positionals: readonly HelpPositional[];
  readonly options: readonly HelpOption[];
}

/** Words of usage lines that stand for options or subcommands, not for a value. */
const NOT_A_VALUE = /^(?:.*options?|.*flags?|opts?|args?|arguments?|sub[- _]?command|command|cmd)$/i;

/** Reads one usage line after the command's own words: `[OPTION]... PATTERN [FILE]...`. */
function parseUsage(usage: string, isOptional = false): Usage {
  const positionals: HelpPositional[] = [];
  const options: HelpOption[] = [];
  for (const group of splitGroups(usage)) {
    const isRequired = !isOptional && !group.startsWith('[');
    const isRepeated = /(?:\.\.\.|…)/.test(group);
    const inner = stripBrackets(group);
    if (inner.startsWith('-')) {
      options.push(...readOptions(inner));
      continue;
    }
    const parts = splitGroups(inner);
    if (parts.length > 1 && parts.some((part) => /^[[<]/.test(part)) && !inner.includes('|')) {
      // `[<repository> [<refspec>...]]`
      const nested = parseUsage(inner, !isRequired);
      positionals.push(...nested.positionals);
      options.push(...nested.options);
      continue;
    }
    const choices = parseChoices(inner);
    const name = choices.length > 0 ? 'value' : inner.replaceAll(/[<>{}[\]]|\.\.\.|…/g, '').trim();
    if (name === '' || NOT_A_VALUE.test(name) || !/^[A-Za-z][\w:/. -]*$/.test(name)) continue;
    if (positionals.some((positional) => positional.name === name)) continue;
    positionals.push({ name, isRequired, isRepeated, choices, description: '' });
  }
  return { positionals, options };
}

/** Cuts at blanks outside of brackets. */
function splitGroups(usage: string): string[] {
  const groups: string[] = [];
  let depth = 0;
  let current = '';
  for (const character of usage) {
    if ('[<{('.includes(character)) depth++;
    if (']>})'.includes(character)) depth--;
    if (depth <= 0 && /\s/.test(character)) {
      if (current !== '') groups.push(current);
      current = '';
    } else {
      current += character;
    }
  }
  return [...groups, current]
    .filter((group) => group !== '' && group !== '--')
    .reduce<string[]>((joined, group) => {
      // `[FILE] ...`: the dots belong to the word before them.
      if (/^(?:\.\.\.|…)$/.test(group) && joined.length > 0) joined.push(`${joined.pop()}...`);
      else joined.push(group);
      return joined;
    }, []);
}

/** `[[--] <path>...]` → `<path>...` */
function stripBrackets(group: string): string {
  let inner = group.replace(/(?:\.\.\.|…)$/, '');
  while (/^\[.*\]$/s.test(inner))
    inner = inner
      .slice(1, -1)
      .replace(/^(?:\[--\]|--)\s+/, '')
      .trim();
  return inner.replace(/^\[--\]\s*/, '').replace(/(?:\.\.\.|…)$/, '');
}

/** `-abc` is three flags; `-f file` and `--depth=<n>` are one each; alternatives are read one by one. */
function readOptions(inner: string): HelpOption[] {
  const bundle = /^-([A-Za-z0-9]{2,})$/.exec(inner)?.[1];
  if (bundle !== undefined) return bundle.split('').flatMap((letter) => parseOption(`-${letter}`, '') ?? []);
  return inner.split(/\s+\|\s+/).flatMap((part) => parseOption(part.trim(), '') ?? []);
}

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
