import type { HelpOption } from './help-page.ts';
import { parseOption } from './parse-option.ts';

interface Pending {
  readonly indent: number;
  readonly spec: string;
  readonly text: string[];
  /** The column of the description; unknown until its first line. */
  column: number | undefined;
}

/** Every option that has a line of its own, with the lines of its description. */
export function readOptions(lines: readonly string[]): HelpOption[] {
  const options: HelpOption[] = [];
  let pending: Pending | undefined;
  const finish = (): void => {
    if (pending === undefined) return;
    const option = parseOption(pending.spec, pending.text.join(' ').replaceAll(/\s+/g, ' ').trim());
    if (option !== undefined) options.push(option);
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
    if (/^\s*-{1,2}[A-Za-z0-9?[]/.test(line) && !isDeep) {
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

/** Cuts a line into what stands for the option and what says what it does. */
function start(line: string, indent: number): Pending {
  const trimmed = line.trim();
  const gap = /\s+:\s+|\s{2,}/.exec(trimmed);
  if (gap !== null && !isBetweenFlags(trimmed, gap)) {
    const column = indent + gap.index + gap[0].length;
    return { indent, spec: trimmed.slice(0, gap.index), text: [trimmed.slice(gap.index + gap[0].length)], column };
  }
  // The option is too long for its column: its description starts one blank after it.
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
