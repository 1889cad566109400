import { BlockWriter, type ManBlock } from './block-writer.ts';
import {
  type RoffLine,
  type RoffSource,
  type RoffStrings,
  splitArguments,
  toPlainText,
  toTable,
} from './read-requests.ts';

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

/** Settings for the text of a line of macros. */
interface MdocStyle {
  /** The program's name, for `.Nm`. */
  readonly program: string;
  /** True to mark values: `<file>`. */
  readonly namesValues: boolean;
  readonly strings: RoffStrings;
  /** True to omit spaces between words, as between `.Sm off` and `.Sm on`. */
  readonly isTight: boolean;
}

/** Macros that enclose the rest of their line, and their marks. */
const AROUND = toTable(`Op [] Sq '' Ql '' Dq "" Qq "" Pq () Bq [] Brq {} Aq <>`);
/** Macros that open or close a group over several lines. */
const OPENS = toTable(`Oo [ So ' Do " Qo " Po ( Bo [ Bro { Ao <`);
const CLOSES = toTable(`Oc ] Sc ' Dc " Qc " Pc ) Bc ] Brc } Ac >`);
const NAMES: Readonly<Record<string, string>> = {
  Ux: 'UNIX',
  Bx: 'BSD',
  Fx: 'FreeBSD',
  Nx: 'NetBSD',
  Ox: 'OpenBSD',
  At: 'AT&T UNIX',
  Bsx: 'BSD/OS',
  Dx: 'DragonFly',
};
/** Macros that only choose a font. */
const FONTS = new Set('Sy Em Ic Cm Li Pa Va Ev Dv Er Fa Ft Fn Vt Tn An Mt No Ad Ms Cd Lk St Rv Ex Bk'.split(' '));
/** Macros and requests without text, at the start of a line. */
const SILENT = /^(?:Ek|Bk|Os|Dd|Dt|Ud|Bt|Rs|Re|br|sp|in|ad|nh|nr|so|ft|ce|ne|ti|ta|hy|fi|nf|ss|tr)$/;

/** Returns the text of a macro line: `Op Fl f Ar file` is `[-f <file>]`. */
function mdocText(words: readonly string[], style: MdocStyle): string {
  if (SILENT.test(words[0] ?? '')) return '';
  const writer = new LineWriter(style);
  // Punctuation at the end of a line goes after the brackets that the line opens.
  const last = words.findLastIndex((word) => !/^[.,:;)\]?!]$/.test(word));
  const taken = last === -1 ? words : words.slice(0, last + 1);
  for (let at = 0; at < taken.length; at++) at = writer.take(taken, at);
  return `${writer.end()}${words.slice(taken.length).join('')}`;
}

class LineWriter {
  #text = '';
  #isGlued = true;
  readonly #closing: string[] = [];
  readonly #style: MdocStyle;
  /** The macro whose arguments are being read. */
  #macro = '';

  constructor(style: MdocStyle) {
    this.#style = style;
  }

  /** Reads one word, and returns the position of the last one it used. */
  take(words: readonly string[], at: number): number {
    const word = words[at] ?? '';
    const next = words[at + 1];
    const hasValue = next !== undefined && !isMacro(next) && !isDelimiter(next);
    const around = Object.hasOwn(AROUND, word) ? AROUND[word] : undefined;
    if (around !== undefined) {
      this.#open(around.charAt(0));
      this.#closing.push(around.charAt(1));
    } else if (Object.hasOwn(OPENS, word)) this.#open(OPENS[word] ?? '');
    else if (Object.hasOwn(CLOSES, word)) this.#close(CLOSES[word] ?? '');
    else if (Object.hasOwn(NAMES, word)) this.#put(NAMES[word] ?? '');
    else if (word === 'Ns') this.#isGlued = true;
    else if (word === 'Ap') this.#glue("'");
    else if (word === 'Pf') {
      this.#put(next ?? '');
      this.#isGlued = true;
      return at + 1;
    } else if (word === 'Nm') {
      if (!hasValue) this.#put(this.#style.program);
      this.#macro = word;
    } else if (word === 'Fl') {
      this.#macro = word;
      if (!hasValue) {
        this.#put('-');
        this.#isGlued = next === 'Fl' || next === 'Ns';
      }
    } else if (word === 'Ar') {
      this.#macro = word;
      if (!hasValue) this.#put(this.#value('file ...'));
    } else if (word === 'Xr') {
      this.#put(`${next ?? ''}(${words[at + 2] ?? ''})`);
      return at + 2;
    } else if (FONTS.has(word) || word === 'Xo' || word === 'Ta') this.#macro = word;
    else this.#word(word);
    return at;
  }

  end(): string {
    while (this.#closing.length > 0) this.#close(this.#closing.pop() ?? '');
    return this.#text;
  }

  #word(word: string): void {
    const text = toPlainText(word, this.#style.strings);
    if (/^[.,:;)\]?!]$/.test(text)) this.#close(text);
    else if (/^[([]$/.test(text)) this.#open(text);
    else if (text === '|') this.#put('|');
    else if (this.#macro === 'Fl') this.#put(`-${text}`);
    else if (this.#macro === 'Ar') this.#put(this.#value(text));
    else this.#put(text);
  }

  #value(text: string): string {
    if (!this.#style.namesValues || /^(?:\.\.\.|…)$/.test(text)) return text;
    return text.replace(/^([^\s.]+(?:\.[^\s.]+)*)/, '<$1>');
  }

  #put(text: string): void {
    if (text === '') return;
    this.#text += this.#isGlued || this.#style.isTight || this.#text === '' ? text : ` ${text}`;
    this.#isGlued = false;
  }

  #glue(text: string): void {
    this.#text += text;
    this.#isGlued = true;
  }

  #open(mark: string): void {
    this.#put(mark);
    this.#isGlued = true;
  }

  #close(mark: string): void {
    this.#text += mark;
    this.#isGlued = false;
  }
}

function isDelimiter(word: string): boolean {
  return /^[.,:;)\]?!([|]$/.test(word);
}

function isMacro(word: string): boolean {
  return (
    FONTS.has(word) ||
    [AROUND, OPENS, CLOSES, NAMES].some((table) => Object.hasOwn(table, word)) ||
    /^(?:Ns|Ap|Pf|Nm|Fl|Ar|Xr|Xo|Xc)$/.test(word)
  );
}
