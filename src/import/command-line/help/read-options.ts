import { optionValue, type PageOption } from '../command-page.ts';
import { findChoices, parseOption } from './parse-option.ts';

interface Pending {
  readonly indent: number;
  readonly spec: string;
  readonly text: string[];
  /** The column of the description; unknown until its first line. */
  column: number | undefined;
  /** The default in place of the value: `--output=''`, `--filename=[]`. */
  readonly literal?: string;
}

/** Reads every option that has its own line, with its description. */
export function readOptions(lines: readonly string[]): PageOption[] {
  const options: PageOption[] = [];
  let pending: Pending | undefined;
  const finish = (): void => {
    if (pending === undefined) return;
    const { spec, literal, text } = pending;
    const option = parseOption(spec, text.join(' ').replaceAll(/\s+/g, ' ').trim());
    if (option !== undefined) options.push(literal === undefined ? withTag(option) : withDefault(option, literal));
    pending = undefined;
  };
  for (const line of lines) {
    const indent = line.length - line.trimStart().length;
    if (line.trim() === '') {
      // A blank line inside a description is followed by more of it; one after it ends nothing yet.
      if (pending?.column !== undefined) pending.text.push('');
      continue;
    }
    const isDeep = pending?.column !== undefined && indent >= pending.column;
    if (/^\s*-{1,2}[A-Za-z0-9?#[]/.test(line) && !isDeep) {
      finish();
      pending = start(line, indent);
    } else if (pending !== undefined && (indent > pending.indent || pending.text.length === 0)) {
      pending.column ??= indent;
      pending.text.push(line.trim());
    } else {
      finish();
    }
  }
  finish();
  return options;
}

/** `-A, --all=false:`, `-f, --filename=[]: Which file`, as kubectl writes them. */
const WITH_DEFAULT = /^((?:-\w, )?--[\w-]+)=('[^']*'|"[^"]*"|\[[^\]]*\]|[^\s:'"[]*|[^\s'"[]+):(?:\s+(\S.*))?$/;

/** Splits a line into the option and its description. */
function start(line: string, indent: number): Pending {
  const trimmed = line.trim();
  const literal = WITH_DEFAULT.exec(trimmed);
  if (literal !== null) {
    const [, spec = '', value = '', text] = literal;
    return { indent, spec, literal: value, text: text === undefined ? [] : [text], column: undefined };
  }
  const gap = /\s+:\s+|\s{2,}/.exec(trimmed);
  if (gap !== null && !isBetweenFlags(trimmed, gap)) {
    const column = indent + gap.index + gap[0].length;
    return { indent, spec: trimmed.slice(0, gap.index), text: [trimmed.slice(gap.index + gap[0].length)], column };
  }
  // The option is too long for its column: its description starts one space after it.
  const crowded = /^(-{1,2}[\w-]+(?:=\S+)?) ([a-z]+(?: \S+){3,})$/.exec(trimmed);
  if (crowded !== null) return { indent, spec: crowded[1] ?? '', text: [crowded[2] ?? ''], column: undefined };
  const named = /^(.*?[>\]}]) ([A-Z].*)$/.exec(trimmed);
  if (named !== null) return { indent, spec: named[1] ?? '', text: [named[2] ?? ''], column: undefined };
  return { indent, spec: trimmed, text: [], column: undefined };
}

/** `-f,  --file`: a wide gap that only aligns the long flag. */
function isBetweenFlags(text: string, gap: RegExpExecArray): boolean {
  return text.slice(0, gap.index).endsWith(',') && text.slice(gap.index).trimStart().startsWith('-');
}

/** Guesses the value of an option from its default. */
function withDefault(option: PageOption, literal: string): PageOption {
  const { description, flags } = option;
  if (literal === 'false') return { ...option, value: undefined };
  if (literal === 'true') return { ...option, negated: `${flags[0]}=false`, value: undefined };
  const type = /^-?\d+$/.test(literal) ? 'integer' : /^-?\d*\.\d+$/.test(literal) ? 'number' : undefined;
  return {
    ...option,
    value: optionValue((flags[0] ?? '').replace(/^-+/, ''), {
      ...(type === undefined ? {} : { type }),
      isJoined: true,
      choices: findChoices(description),
    }),
    isRepeatable: literal.startsWith('['),
  };
}

/** yargs prints an option's type after its description: `[string]`, `[array]`. */
function withTag(option: PageOption): PageOption {
  const tag = /\[(string|number|array|choices: [^\]]*)\]/.exec(option.description)?.[1];
  if (tag === undefined || option.value !== undefined) return option;
  const { description, flags } = option;
  return {
    ...option,
    negated: undefined,
    value: optionValue((flags[0] ?? '').replace(/^-+/, ''), {
      ...(tag === 'number' ? { type: 'number' } : {}),
      choices: findChoices(description),
    }),
    isRepeatable: /\[array\]/.test(description),
  };
}
