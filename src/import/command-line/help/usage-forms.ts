/** Returns the usage lines of a help text without the command's own words. The first form counts most. */
export function readForms(lines: readonly string[], command: readonly string[]): string[] {
  const start = lines.findIndex((line) => /^\s*(?:usage|synopsis)\s*(?::|$)/i.test(line));
  if (start === -1) {
    // yargs begins with the usage line itself.
    const line = lines.find((text) => text.trim() !== '') ?? '';
    const own = command.map((word) => word.split('/').at(-1)).join(' ');
    return line.startsWith(`${own} `) && /[<[]/.test(line) ? [dropCommand(line, command)] : [];
  }
  const first = (lines[start] ?? '').replace(/^\s*(?:usage|synopsis)\s*:?\s*/i, '');
  const forms: string[] = first === '' ? [] : [first];
  let isDefined = false;
  for (const line of lines.slice(start + 1)) {
    if (line.trim() === '') {
      if (forms.length > 0) break;
      continue;
    }
    isDefined ||= DEFINES.test(line);
    if (/^\s*(?:or:|\$)/.test(line) || startsWith(line, command) || forms.length === 0) {
      forms.push(line.trim().replace(/^(?:or:?\s+|\$\s*)/i, ''));
    } else if (/^\s{4,}[^\s-]/.test(line) || isContinued(line) || isDefined)
      forms.push(`${forms.pop()} ${line.trim()}`);
    else break;
  }
  const all = forms.filter((form) => !isOfOther(form, forms, command)).map((form) => dropCommand(form, command));
  // docopt has a form for each help option.
  const own = all.length > 1 ? all.filter((form) => !HELP_FORM.test(form)) : all;
  return own.every((form) => VERBS.test(form)) ? (readVerbs(lines, command) ?? own) : own;
}

/** `  [-o DIR] <file>`: the rest of a usage line rather than a list of its words. */
function isContinued(line: string): boolean {
  return /^\s+[[<(]/.test(line) && !/\S\s{2,}\S/.test(line);
}

/** `-h | --help`, `--version` */
const HELP_FORM = /^[(]?(?:-h|--help|-v|-V|--version)(?:\s*\|\s*(?:-h|--help|-v|-V|--version))*[)]?$/;

/** `[start|bad|good]`: only the names of subcommands. */
const VERBS = /^[[(<]?[a-z][\w-]*(?:\|[a-z][\w-]*)+[\])>]?$/;

/** Returns a form for each name that the usage only lists: `git bisect (bad|new) [<rev>]`. */
function readVerbs(lines: readonly string[], command: readonly string[]): string[] | undefined {
  const own = `${command.map((word) => word.split('/').at(-1)).join(' ')} `;
  const forms: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const text = line.trim();
    if (text.startsWith(own)) forms.push(text.slice(own.length));
    else if (isOpen && /^\s+[[<(]/.test(line)) forms.push(`${forms.pop() ?? ''} ${text}`);
    else {
      isOpen = false;
      continue;
    }
    isOpen = true;
  }
  const found = forms
    .flatMap((form) => {
      const names = /^\(([a-z][\w-]*(?:\|[a-z][\w-]*)+)\)(.*)$/.exec(form);
      return names === null ? [form] : (names[1] ?? '').split('|').map((name) => `${name}${names[2] ?? ''}`);
    })
    .filter((form) => /^[a-z][\w-]*(?: |$)/.test(form) && !/^help\b/.test(form));
  return found.length > 1 ? found : undefined;
}

/** True when a form belongs to another subcommand that shares the help. */
function isOfOther(form: string, forms: readonly string[], command: readonly string[]): boolean {
  const [program = '', ...rest] = command.map((word) => word.split('/').at(-1) ?? word);
  const own = [program, ...rest].join(' ');
  const isOwn = (text: string): boolean => text === own || text.startsWith(`${own} `);
  const [first, second = ''] = form.split(' ', 2);
  return rest.length > 0 && first === program && /^[a-z]/.test(second) && !isOwn(form) && forms.some(isOwn);
}

function startsWith(line: string, [program = '']: readonly string[]): boolean {
  return line.trim().split(/\s/, 1)[0] === program.split('/').at(-1);
}

/** Removes the program and the subcommands, however the help writes them: `$ tool sub`, `/usr/bin/tool [global options] sub`. */
function dropCommand(form: string, command: readonly string[]): string {
  const [program = '', ...rest] = form
    .replace(/^\$\s*/, '')
    .replace(/\[global options\]\s*/i, '')
    .split(/\s+/);
  if (!/^[\w./-]+$/.test(program)) return form;
  const names = command.map((word) => word.split('/').at(-1));
  let from = 0;
  for (const name of names) {
    // `apt-get [options] install|remove pkg1`
    const at = rest[from]?.startsWith('[opt') === true && isNamed(rest[from + 1], name) ? from + 1 : from;
    if (isNamed(rest[at], name)) from = at + 1;
  }
  const own = rest.slice(from).join(' ');
  // `git stash [push [-p] [<pathspec>...]]` for `git stash push`.
  const last = names.at(-1) ?? '';
  return names.length > 1 && own.startsWith(`[${last} `) && own.endsWith(']') ? own.slice(last.length + 2, -1) : own;
}

function isNamed(word = '', name = ''): boolean {
  return word === name || (/^[a-z][\w-]*(?:\|[a-z][\w-]*)+$/.test(word) && word.split('|').includes(name));
}

/** A form of a command that is a subcommand of its own. */
interface UsageForm {
  readonly words: readonly string[];
  readonly usages: readonly string[];
}

/** `set <key>`, `get <key>`: forms that begin with different plain words are subcommands without their own pages. */
export function splitForms(forms: readonly string[]): UsageForm[] {
  // If values have brackets, all words without brackets are fixed; otherwise only the first is.
  const isBracketed = forms.some((form) => form.includes('<'));
  const plain = isBracketed ? forms.flatMap(wordFirst) : forms;
  const groups = new Map<string, { words: string[]; usages: string[] }>();
  for (const form of plain) {
    const words = literalsOf(form, plain).slice(0, isBracketed ? Infinity : 1);
    // One form without such a word: the words of the others may be values, unless those have brackets.
    if (words.length === 0 && !isBracketed) return [];
    const key = words.join(' ');
    const group = groups.get(key) ?? { words, usages: [] };
    group.usages.push(form.slice(key.length).trim());
    groups.set(key, group);
  }
  const starts = new Set([...groups.values()].flatMap(({ words }) => words.slice(0, 1)));
  return starts.size > 1 ? [...groups.values()] : [];
}

/** Returns `[-v] show <name>` with its word first; `[push [-p]]` as one form with the word and one without. */
function wordFirst(form: string): string[] {
  const behind = /^((?:\[[^[\]]*\] )+)([a-z][a-z-]*)(?= |$)(.*)$/.exec(form);
  if (behind !== null) return [`${behind[2]} ${behind[1]}${behind[3]}`.trim()];
  const optional = /^\[([a-z][a-z-]* .*)\]$/.exec(form)?.[1];
  return optional === undefined ? [form] : ['', optional];
}

/** The most words of a form to examine. */
const MAX_LITERALS = 4;

/** Returns the fixed words at a form's start. A word that follows different first words is the name of a value. */
function literalsOf(form: string, forms: readonly string[]): string[] {
  const starts = forms.map((other) => other.split(/\s+/, MAX_LITERALS + 1));
  const words = form.split(/\s+/, MAX_LITERALS);
  const isValue = (word: string): boolean =>
    new Set(starts.filter((start) => start.indexOf(word, 1) !== -1).map(([first]) => first)).size > 1;
  const end = words.findIndex((word, index) => !/^[a-z][a-z0-9-]*$/.test(word) || (index > 0 && isValue(word)));
  return end === -1 ? words : words.slice(0, end);
}

/** `OPTIONS := { -4 | -s[tatistics] }`, optionally preceded by `where`. */
const DEFINITION = /(?:\bwhere\s+)?\b([A-Z][A-Z_-]*)\s*:=\s*(?=[{[])/g;
/** A line that starts a definition. */
const DEFINES = /\b[A-Z][A-Z_-]*\s*:=\s*[{[]/;
/** More than the choices of one argument could be. */
const MAX_DEFINITIONS = 40;

/**
 * Replaces names in a usage with their definitions below it: the options of `[ OPTIONS ]`, the words of `OBJECT`. iproute2 and
 * others write their usage like this.
 */
export function expandDefinitions(forms: readonly string[]): readonly string[] {
  if (!forms.some((form) => form.includes(':='))) return forms;
  const definitions = new Map<string, string>();
  const bare = forms.map((form) => {
    const found = [...form.matchAll(DEFINITION)].slice(0, MAX_DEFINITIONS);
    for (const [at, match] of found.entries()) {
      const end = found[at + 1]?.index ?? form.length;
      definitions.set(match[1] ?? '', form.slice(match.index + match[0].length, end).trim());
    }
    return form.slice(0, found[0]?.index ?? form.length).trim();
  });
  return bare.map((form) =>
    form.replaceAll(/\[\s*([A-Z][A-Z_-]*)\s*\]|\b[A-Z][A-Z_-]*\b/g, (whole, inner: string | undefined) => {
      const definition = definitions.get(inner ?? whole);
      if (definition === undefined) return whole;
      const parts = splitParts(definition.replace(/^[{[]/, '').replace(/[}\]]$/, ''));
      if (parts.every((part) => part.startsWith('-'))) return parts.map((part) => `[${toOption(part)}]`).join(' ');
      const isWords = parts.every((part) => /^[a-z0-9][\w-]*$/.test(part));
      return isWords ? `{${parts.filter((part) => part !== 'help').join('|')}}` : whole;
    }),
  );
}

/** Splits at bars outside of brackets. */
function splitParts(text: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const letter of text) {
    if ('{[('.includes(letter)) depth++;
    if ('}])'.includes(letter)) depth--;
    if (letter === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** `-f[amily] { inet | link }` → `-family <inet|link>`, `-rc[vbuf] [size]` → `-rcvbuf <size>`. */
function toOption(part: string): string {
  const [, start = '', rest = '', value = ''] = /^(-\w+)(?:\[([\w-]+)\])?\s*(.*)$/s.exec(part) ?? [];
  const flag = `${start}${rest}`;
  const name = value.replaceAll(/[{}[\]\s<>]/g, '');
  return name === '' ? flag : `${flag} <${name}>`;
}

/** Returns the lines without definitions, which are not lists of options with descriptions. */
export function withoutDefinitions(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => DEFINES.test(line));
  if (start === -1) return lines;
  const end = lines.findIndex((line, at) => at > start && line.trim() === '');
  return [...lines.slice(0, start), ...(end === -1 ? [] : lines.slice(end))];
}
