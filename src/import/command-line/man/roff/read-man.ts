import { BlockWriter, type ManBlock } from './block-writer.ts';
import { type RoffSource, toPlainText } from './read-requests.ts';

/** Macros that alternate two fonts, without spaces between their arguments. */
const ALTERNATING = new Set(['BR', 'RB', 'BI', 'IB', 'IR', 'RI']);
const FONT = new Set(['B', 'I', 'SM', 'SB', 'R']);

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
    switch (name) {
      case 'SH':
      case 'SS': {
        const type = name === 'SH' ? 'section' : 'subsection';
        if (args.length === 0) next = type;
        else writer.heading(type, plain(args.join(' ')));
        break;
      }
      case 'TP':
        writer.flush();
        next = 'tag';
        break;
      case 'TQ':
        next = 'another tag';
        break;
      case 'IP':
        if (args[0] === undefined || plain(args[0]).trim() === '') writer.body();
        else writer.tag(plain(args[0]));
        break;
      case 'PP':
      case 'P':
      case 'LP':
      case 'HP':
        writer.paragraph();
        break;
      case 'sp':
      case 'br':
      case 'Sp':
        writer.flush();
        break;
      case 'nf':
      case 'EX':
      case 'Vb':
        writer.literal(true);
        break;
      case 'fi':
      case 'EE':
      case 'Ve':
        writer.literal(false);
        break;
      case 'RS':
        writer.deeper();
        break;
      case 'RE':
        writer.shallower();
        break;
      // A synopsis: the command, an option with its value, the end.
      case 'SY':
        writer.flush();
        take(args.join(' '));
        break;
      case 'OP':
        take(`[${args.join(' ')}]`);
        break;
      case 'YS':
        writer.flush();
        break;
      case 'UR':
      case 'MT':
      case 'MR':
        take(args.slice(0, 1).join(''));
        break;
    }
  }
  writer.flush();
  return writer.blocks;
}
