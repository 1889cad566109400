import type { PageCommand } from '../command-page.ts';
import type { ManBlock } from './roff/block-writer.ts';
import { type ManSection, textOf } from './sections.ts';

/** Sections that list subcommands. */
const COMMANDS = /\b(?:SUB-?COMMANDS|COMMANDS|SERVICES)\b(?!.*\bOPTIONS\b)/;
/** The most paragraphs to read about a subcommand. */
const MOST_PARAGRAPHS = 6;
const NAME = /^[a-z][a-z0-9]*(?:[-_.:][a-z0-9]+)*$/;

/** Reads the subcommands that a manual page lists. */
export function readCommands(sections: readonly ManSection[], command: readonly string[]): PageCommand[] {
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
