import { BlockWriter, type ManBlock } from './block-writer.ts';
import { mdocText, type MdocStyle } from './mdoc-text.ts';
import type { RoffLine, RoffSource } from './read-requests.ts';
import { splitArguments, toPlainText } from './roff-text.ts';

/** Reads a page written with the `mdoc` macros of the BSDs: `.Sh`, `.Bl`, `.It Fl a`. */
export function readMdoc({ lines, strings }: RoffSource): ManBlock[] {
  const writer = new BlockWriter();
  let section = '';
  let program = '';
  /** The tag of an item over several lines: `.It Xo` to `.Xc`. */
  let longTag: string | undefined;
  let isTight = false;
  const style = (isTag = false): MdocStyle => ({
    program,
    namesValues: isTag || section === 'SYNOPSIS',
    strings,
    isTight,
  });
  const put = (text: string): void => {
    if (longTag === undefined) writer.line(text, isTight);
    else longTag += isTight ? text : ` ${text}`;
  };
  const lists: string[] = [];
  const item = (rest: string): void => {
    const list = lists.at(-1) ?? '';
    const words = splitArguments(rest);
    if (list === '-bullet' || list === '-dash' || list === '-hyphen' || list === '-enum') writer.tag('•');
    else if (words.includes('Xo'))
      longTag = mdocText(
        words.filter((word) => word !== 'Xo'),
        style(true),
      );
    else if (list === '-item' || words.length === 0) writer.paragraph();
    else if (list === '-column') put(toPlainText(words.join(' '), strings));
    else writer.tag(mdocText(words, style(true)));
  };
  for (const line of lines) {
    if (line.type === 'text') {
      put(toPlainText(line.text, strings));
      continue;
    }
    const { name, args, rest } = line;
    switch (name) {
      case 'Sh':
        section = args.join(' ').toUpperCase();
        writer.heading('section', section);
        break;
      case 'Ss':
        writer.heading('subsection', mdocText(args, style()));
        break;
      case 'Nm':
        program ||= args[0] ?? '';
        if (section === 'SYNOPSIS') writer.flush();
        put(mdocText(['Nm', ...args], style()));
        break;
      case 'Nd':
        put(`- ${mdocText(args, style())}`);
        break;
      case 'Pp':
      case 'Lp':
        writer.flush();
        break;
      case 'Bl':
        lists.push(
          args.find((arg) => /^-(?:tag|bullet|dash|hyphen|enum|item|hang|inset|ohang|diag|column)$/.test(arg)) ?? '',
        );
        writer.deeper();
        break;
      case 'El':
        lists.pop();
        writer.shallower();
        break;
      case 'It':
        item(rest);
        break;
      case 'Xc':
        if (longTag !== undefined) writer.tag(tidy(longTag));
        longTag = undefined;
        break;
      case 'Sm':
        isTight = args[0] === undefined ? !isTight : args[0] === 'off';
        // The space before a value that is written in pieces.
        if (isTight && longTag !== undefined) longTag += ' ';
        break;
      case 'Bd':
        writer.literal(args.some((arg) => arg === '-literal' || arg === '-unfilled'));
        break;
      case 'Ed':
        writer.literal(false);
        break;
      case 'D1':
      case 'Dl':
        writer.literal(true);
        writer.line(mdocText(args, style()));
        writer.literal(false);
        break;
      default:
        takeInline(line, put, style(longTag !== undefined));
    }
  }
  writer.flush();
  return writer.blocks;
}

function takeInline(
  { name, args }: RoffLine & { readonly type: 'macro' },
  put: (text: string) => void,
  style: MdocStyle,
): void {
  const text = mdocText([name, ...args], style);
  if (text !== '') put(text);
}

function tidy(text: string): string {
  return text.replaceAll(/\[ +/g, '[').replaceAll(/ +\]/g, ']');
}
