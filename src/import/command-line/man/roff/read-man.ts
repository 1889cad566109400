import { BlockWriter, type ManBlock } from './block-writer.ts';
import { type RoffSource, toPlainText } from './read-requests.ts';

/** Macros that alternate two fonts, without spaces between their arguments. */
const ALTERNATING = new Set(['BR', 'RB', 'BI', 'IB', 'IR', 'RI']);
const FONT = new Set(['B', 'I', 'SM', 'SB', 'R']);

/** Macros that end a paragraph, change the depth or begin preformatted text, whatever their arguments are. */
const ACTS: Readonly<Record<string, (writer: BlockWriter) => void>> = Object.fromEntries(
  (
    [
      ['PP P LP HP', (writer) => writer.paragraph()],
      ['sp br Sp TP SY YS', (writer) => writer.flush()],
      ['nf EX Vb', (writer) => writer.literal(true)],
      ['fi EE Ve', (writer) => writer.literal(false)],
      ['RS', (writer) => writer.deeper()],
      ['RE', (writer) => writer.shallower()],
    ] satisfies [string, (writer: BlockWriter) => void][]
  ).flatMap(([names, act]) => names.split(' ').map((name) => [name, act])),
);

/** Reads a page written with the `man` macros: `.SH`, `.TP`, `.IP`, `.RS`. */
export function readMan({ lines, strings }: RoffSource): ManBlock[] {
  const writer = new BlockWriter();
  const plain = (text: string): string => toPlainText(text, strings);
  /** The use of the next line of text. */
  let next: 'tag' | 'another tag' | 'section' | 'subsection' | 'bold' | undefined;
  const take = (source: string): void => {
    const text = plain(source);
    const joins = /\\c\s*$/.test(source);
    const purpose = next;
    next = undefined;
    if (purpose === 'tag' || purpose === 'another tag') writer.tag(text, purpose === 'another tag');
    else if (purpose === 'section' || purpose === 'subsection') writer.heading(purpose, text);
    // A bullet drawn by hand, as in pages made from DocBook.
    else if (joins && /^\s*(?:•|\d+\.)\s*$/.test(text)) writer.tag(text);
    else writer.line(text, joins);
  };
  for (const line of lines) {
    if (line.type === 'text') {
      take(line.text);
      continue;
    }
    const { name, args } = line;
    if (FONT.has(name)) {
      if (args.length > 0) take(args.join(' '));
      continue;
    }
    if (ALTERNATING.has(name)) {
      take(args.join(''));
      continue;
    }
    const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
    act?.(writer);
    if (name === 'SH' || name === 'SS') {
      const type = name === 'SH' ? 'section' : 'subsection';
      if (args.length === 0) next = type;
      else writer.heading(type, plain(args.join(' ')));
    } else if (name === 'TP') next = 'tag';
    else if (name === 'TQ') next = 'another tag';
    else if (name === 'IP') {
      if (args[0] === undefined || plain(args[0]).trim() === '') writer.body();
      else writer.tag(plain(args[0]));
    }
    // A synopsis: the command, an option with its value.
    else if (name === 'SY') take(args.join(' '));
    else if (name === 'OP') take(`[${args.join(' ')}]`);
    else if (name === 'UR' || name === 'MT' || name === 'MR') take(args.slice(0, 1).join(''));
  }
  writer.flush();
  return writer.blocks;
}
