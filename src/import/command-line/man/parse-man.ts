import { type CommandPage, emptyPage, type PageCommand, type PageExample, type PageOption } from '../command-page.ts';
import { findVariables } from '../guess/guess-variables.ts';
import { expandDefinitions } from '../help/usage-forms.ts';
import { mentionsInput } from '../help/parse-help.ts';
import { parseUsages, withSynopsisValue } from '../help/parse-usages.ts';
import { readOptions } from './read-options.ts';
import { type ManBlock, type ManSection, textOf, toSections } from './roff/block-writer.ts';
import { readMan } from './roff/read-man.ts';
import { readMdoc } from './roff/read-mdoc.ts';
import { readRequests } from './roff/read-requests.ts';

/** Parses the source of a manual page. Skips everything it cannot parse. */
export function parseMan(source: string, command: readonly string[]): CommandPage {
  const sections = toSections(readBlocks(source));
  const listed = readCommands(sections, command);
  const synopsis = sections.find(({ title }) => title === 'SYNOPSIS')?.blocks ?? [];
  const forms = expandDefinitions(readSynopsis(synopsis, command));
  const commands = areSubcommands(listed, forms, sections) ? listed : [];
  const options = unique(readOptions(sections));
  const usage = parseUsages(forms, { commands: commands.map(({ name }) => name), options });
  const known = new Set(options.flatMap(({ flags, negated }) => [...flags, negated ?? '']));
  const further = usage.options.filter(({ flags }) => !flags.some((flag) => known.has(flag)));
  return {
    ...emptyPage(command),
    summary: readSummary(sections),
    details: firstText(sections, 'DESCRIPTION', 2),
    options: [...options.map((option) => withUsage(option, usage.options)), ...further],
    // `tool <command> [<args>...]` is not a way to use the tool itself.
    positionals: commands.length > 0 && /\bcommand\b/i.test(forms[0] ?? '') ? [] : usage.positionals,
    commands,
    examples: readExamples(sections, command),
    purposes: readPurposes(sections),
    isFlagsFirst: usage.isFlagsFirst,
    exclusive: usage.exclusive,
    oneOf: usage.oneOf,
    hasSeparator: usage.hasSeparator,
    isSpecial: usage.isSpecial,
    readsInput: mentionsInput(source),
    variables: readVariables(sections, command),
    sources: ['man'],
  };
}

/** Returns the variables in the section about them, and those in descriptions of options. */
function readVariables(sections: readonly ManSection[], [program = '']: readonly string[]): string[] {
  const blocks = sections.filter(({ title }) => title.startsWith('ENVIRONMENT')).flatMap((section) => section.blocks);
  // DocBook, used by git, writes a name as a paragraph with an indented text below it.
  const isTag = ({ type, indent }: ManBlock, at: number): boolean =>
    type === 'tag' || (type === 'text' && (blocks[at + 1]?.indent ?? 0) > indent);
  const tags = blocks.filter(isTag).flatMap((block) => textOf(block).split(/,\s+/));
  const text = sections.flatMap((section) => section.blocks.filter(({ type }) => type === 'text').map(textOf));
  return findVariables(text.join('\n'), tags, program);
}

/** True when the commands on a page are words of the command line, not typed into the running program. */
function areSubcommands(
  commands: readonly PageCommand[],
  forms: readonly string[],
  sections: readonly ManSection[],
): boolean {
  if (sections.some(({ title }) => title.startsWith('AVAILABLE '))) return true;
  const words = new Set(forms.flatMap((form) => form.split(/[\s[\](){}|<>]+/)));
  return commands.some(({ name }) => words.has(name)) || [...words].some((word) => /^(?:sub-?)?command$/i.test(word));
}

/** Reads `name - what it does`; AWS leaves that empty and describes the command in its text. */
function readSummary(sections: readonly ManSection[]): string {
  const named = /\s[-–—]+\s+(.+)$/.exec(firstText(sections, 'NAME'))?.[1];
  const about = firstText(sections, 'DESCRIPTION');
  return named ?? /^.*?[.](?=\s|$)/.exec(about)?.[0] ?? about;
}

/** Returns the first paragraphs of a section; empty if there is none. */
function firstText(sections: readonly ManSection[], name: string, count = 1): string {
  const all = sections.find(({ title }) => title === name)?.blocks ?? belowSubsection(sections, name);
  // A list ends the general description.
  const end = all.findIndex(({ type }, at) => at > 0 && type !== 'text');
  const texts = (end === -1 ? all : all.slice(0, end)).filter(({ type }) => type === 'text');
  const first = texts.length > 0 ? texts : all.filter(({ type }) => type === 'text').slice(0, 1);
  return first.slice(0, count).map(textOf).join(' ');
}

/** npm writes all its headings as subsections. */
function belowSubsection(sections: readonly ManSection[], name: string): readonly ManBlock[] {
  const blocks = sections.flatMap((section) => section.blocks);
  const start = blocks.findIndex(({ type, lines }) => type === 'subsection' && lines[0]?.toUpperCase() === name);
  return start === -1 ? [] : blocks.slice(start + 1);
}

/** Keeps the first of options that share a long spelling. A letter used twice belongs to the first. */
function unique(options: readonly PageOption[]): PageOption[] {
  const seen = new Set<string>();
  return options.flatMap((option) => {
    const [longest = ''] = option.flags;
    if (seen.has(longest)) return [];
    const flags = option.flags.filter((flag) => !seen.has(flag));
    for (const flag of flags) seen.add(flag);
    return [{ ...option, flags }];
  });
}

/** An option outside of brackets in the synopsis is required. */
function withUsage(option: PageOption, others: readonly PageOption[]): PageOption {
  const other = others.find(({ flags }) => flags.some((flag) => option.flags.includes(flag)));
  if (other === undefined) return option;
  if (option.value === undefined) return withSynopsisValue(option, other);
  // `[--tags <key> <value>]`: the description only says that it takes text.
  if (other.isCompound) return { ...option, isCompound: true, value: other.value ?? option.value, isRepeatable: true };
  const isSpread = other.isRepeatable && !option.isRepeatable && /^(?:string|integer|blob)$/.test(option.value.name);
  return {
    ...option,
    isRequired: option.isRequired || other.isRequired,
    ...(isSpread ? { isRepeatable: true, isSpread: true } : {}),
  };
}

/** Returns the forms of a synopsis without the command's own words. */
function readSynopsis(blocks: readonly ManBlock[], command: readonly string[]): string[] {
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

/** Converts a line of a synopsis with one line for each part, as AWS writes it. */
function toItem(line: string): string {
  // `--bucket <value>` without brackets is required; `[--ids <value> [<value>...]]` takes several.
  if (/^--[\w-]+ <[^>]*>$/.test(line)) return `(${line})`;
  if (/^<[^>]+>(?: (?:or )?(?:<[^>]+>|NONE))+$/.test(line)) return joinBranches(line);
  return line.replace(/^(\[--[\w-]+ (<[^>]*>)) \[\2\.\.\.\]\]$/, '$1...]');
}

/** `<Local> <Uri> or <Uri> <Local>`: joins the alternatives of each position; `NONE` if nothing may stand there. */
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

const MAX_EXAMPLES = 20;
const MAX_DESCRIPTION = 160;
/** `Example 2: Sync all objects of a bucket to another`: says more than the sentences below it. */
const HEADING = /^Example \d+: (.+)$/s;

/** Reads command lines on their own lines, with the sentence before each. */
function readExamples(sections: readonly ManSection[], command: readonly string[]): PageExample[] {
  const program = (command[0] ?? '').split('/').at(-1) ?? '';
  const words = [program, ...command.slice(1)].join(' ');
  const found: PageExample[] = [];
  for (const { blocks, title } of sections) {
    if (title === 'SYNOPSIS') continue;
    let about = '';
    let heading = '';
    for (const block of blocks) {
      if (block.type === 'text' || block.type === 'tag') about = textOf(block);
      heading = HEADING.exec(about)?.[1] ?? heading;
      if (block.type !== 'literal') continue;
      for (const line of block.lines
        .join('\n')
        .replaceAll(/\\\n\s*/g, '')
        .split('\n')) {
        const text = line.trim().replace(/^[$#%]\s+/, '');
        if (text !== words && !text.startsWith(`${words} `)) continue;
        found.push({ description: toDescription(heading === '' ? about : heading), line: text });
        [about, heading] = ['', ''];
      }
    }
  }
  return found.slice(0, MAX_EXAMPLES);
}

function toDescription(text: string): string {
  // A dot within a word, as in test.txt, does not end a sentence.
  const [last] = /(?:[^.]|\.(?=\S))*:$/.exec(text) ?? [];
  const [first = ''] = /^(?:[^.]|\.(?=\S))*\.?/.exec(text) ?? [];
  const sentence = (last ?? first).trim().replace(/:$/, '').replaceAll('``', '');
  return /^examples?$/i.test(sentence) || sentence.length > MAX_DESCRIPTION ? '' : sentence;
}

/** Reads the headings of examples, which state their purpose. */
function readPurposes(sections: readonly ManSection[]): string[] {
  return sections
    .filter(({ title }) => /^EXAMPLES?\b/.test(title))
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tag' || type === 'subsection').map(textOf))
    .filter((text) => /^[A-Z][a-z]+ \S+/.test(text) && text.length <= MAX_DESCRIPTION);
}

/** Reads the blocks of a manual page from its source, in either family of macros, without a formatter. */
function readBlocks(source: string): ManBlock[] {
  const roff = readRequests(source);
  const isMdoc = roff.lines.some((line) => line.type === 'macro' && (line.name === 'Dd' || line.name === 'Sh'));
  return isMdoc ? readMdoc(roff) : readMan(roff);
}

/** Sections that list subcommands. */
const COMMANDS = /\b(?:SUB-?COMMANDS|COMMANDS|SERVICES)\b(?!.*\bOPTIONS\b)/;
/** The most paragraphs to read about a subcommand. */
const MOST_PARAGRAPHS = 6;
const NAME = /^[a-z][a-z0-9]*(?:[-_.:][a-z0-9]+)*$/;

function readCommands(sections: readonly ManSection[], command: readonly string[]): PageCommand[] {
  const program = (command[0] ?? '').split('/').at(-1) ?? '';
  const found = new Map<string, PageCommand>();
  for (const { title, blocks } of sections) {
    if (!COMMANDS.test(title)) continue;
    // `gpg --edit-key` has its own menu: words below options are typed into the running program.
    if (blocks.some(({ type, lines: [first = ''] }) => type === 'tag' && first.startsWith('--'))) continue;
    for (const [index, block] of blocks.entries()) {
      const item = readItem(block, blocks[index - 1], textsBelow(blocks, index));
      const one = item === undefined ? undefined : toCommand(item, [program, ...command.slice(1)]);
      if (one !== undefined && !found.has(one.name)) found.set(one.name, one);
    }
  }
  return [...found.values()];
}

interface Item {
  readonly text: string;
  readonly about: string;
}

/** Returns the paragraphs that describe an item, up to a list or the next item. */
function textsBelow(blocks: readonly ManBlock[], index: number): readonly ManBlock[] {
  const indent = blocks[index]?.indent ?? 0;
  const rest = blocks.slice(index + 1, index + 1 + MOST_PARAGRAPHS);
  const end = rest.findIndex(({ type, indent: own }) => type !== 'text' || own <= indent);
  return end === -1 ? rest : rest.slice(0, end);
}

/** Reads a tag, a line with its description below, or the word of a bullet. */
function readItem(block: ManBlock, before: ManBlock | undefined, below: readonly ManBlock[]): Item | undefined {
  const isDescribed = below.length > 0;
  const about = below.map(textOf).join(' ');
  if (block.type === 'tag') return { text: textOf(block), about };
  if (block.type !== 'text' || block.indent > 1)
    return block.type === 'text' && before?.type === 'bullet' ? { text: textOf(block), about: '' } : undefined;
  if (before?.type === 'bullet') return { text: textOf(block), about: '' };
  return isDescribed && block.lines.length === 1 && block.indent === 0 ? { text: textOf(block), about } : undefined;
}

function toCommand({ text, about }: Item, command: readonly string[]): PageCommand | undefined {
  // `git-add(1)`, `git add`, `add`, `start UNIT...`
  const plain = text
    .replace(/\(\d\w*\)$/, '')
    .replace(new RegExp(`^${escape(command.join('-'))}-|^${escape(command.join(' '))} `), '');
  // `enable UNIT..., enable PATH...` are two forms of one command.
  const one = plain.replace(/^([a-z][\w-]*)( [^,]+)(?:,\s*\1 [^,]+)+$/s, '$1$2');
  // `remove, rm` is one command with two names.
  const [, name = '', usage = ''] = /^([^\s,]+)(?:,\s*[a-z][\w-]*(?=,|$))*,?\s*(.*)$/s.exec(one) ?? [];
  if (!NAME.test(name) || name === 'help' || name.startsWith('-')) return undefined;
  // A sentence is not a subcommand with its words.
  const rest = dropGroups(usage).split(/\s+/).filter(Boolean);
  if (rest.some((word) => !/^[A-Z0-9_=|.[\]-]+(?:\.\.\.)?…?$|^\.\.\.$/.test(word))) return undefined;
  const written = usage.replaceAll(/\s+/g, ' ').trim();
  return { name, description: firstSentence(about), details: about, ...(written === '' ? {} : { usage: written }) };
}

/** Removes text in brackets, including nested ones. */
function dropGroups(usage: string): string {
  const plain = usage.replaceAll(/\[[^[\]()<>]*\]|\([^[\]()<>]*\)|<[^<>]*>|\{[^{}]*\}/g, '');
  return plain === usage ? usage : dropGroups(plain);
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text;
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
