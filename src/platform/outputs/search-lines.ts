import { open } from 'node:fs/promises';
import { type LineIndex, type LineStart, readLines, toLineText } from './output-lines.ts';

/** What to look for. */
export type OutputSearch = (
  | {
      /** Exactly this text, within one line. */
      readonly text: string;
    }
  | {
      /** Tells whether a line matches. */
      readonly pattern: (line: string) => boolean;
    }
) & {
  /** Matches given at most. Default: 50. */
  readonly limit?: number;
  /** Lines shown before and after each match. Default: none. */
  readonly context?: number;
  readonly signal?: AbortSignal | undefined;
};

/** A line that matches. */
export interface OutputMatch {
  /** Lines before it: reading from this offset starts with it. */
  readonly offset: number;
  readonly line: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The lines that match, in order. */
export interface OutputMatches {
  readonly matches: readonly OutputMatch[];
  /** True when there are more matches than the limit. */
  readonly hasMore: boolean;
}

/** A file to search. */
interface SearchedFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly lines: LineIndex;
}

/** Searches a file line by line in constant memory; parts without a literal text are passed over as bytes. */
export async function searchLines(file: SearchedFile, search: OutputSearch): Promise<OutputMatches> {
  const { starts } = file.lines;
  const collector = createCollector(search);
  let isContinued = true;
  for (const [part, start] of starts.entries()) {
    search.signal?.throwIfAborted();
    if (collector.isDone()) break;
    const end: LineStart = starts[part + 1] ?? { line: file.lines.count(), position: file.size };
    if ('text' in search && !collector.wantsMore() && !(await contains(file.path, { start, end, text: search.text }))) {
      isContinued = false;
      continue;
    }
    // After a gap, the part before gives the lines before a match.
    const { line, position } = isContinued ? start : (starts[part - 1] ?? start);
    let at = line;
    await readLines(file.path, {
      position,
      signal: search.signal,
      onLine(bytes, from, to) {
        collector.take(at, toLineText(bytes, from, to), at >= start.line);
        at++;
        return at < end.line && !collector.isDone();
      },
    });
    isContinued = true;
  }
  return collector.result();
}

/** Collects matches and the lines around them. */
function createCollector(search: OutputSearch) {
  const { limit = 50, context = 0 } = search;
  const isMatch = 'text' in search ? (line: string) => line.includes(search.text) : search.pattern;
  const matches: (OutputMatch & { readonly after: string[] })[] = [];
  const before: string[] = [];
  let hasMore = false;
  let next = 0;
  const wantsMore = (): boolean => next - (matches.at(-1)?.offset ?? -Infinity) <= context;

  return {
    /** True while the last match lacks lines after it. */
    wantsMore,
    isDone: () => hasMore && !wantsMore(),
    result: (): OutputMatches => ({ matches, hasMore }),
    take(offset: number, line: string, isSearched: boolean): void {
      next = offset + 1;
      for (let at = matches.length - 1; at >= 0; at--) {
        const match = matches[at];
        if (match === undefined || offset - match.offset > context) break;
        match.after.push(line);
      }
      if (isSearched && isMatch(line)) {
        if (matches.length === limit) hasMore = true;
        else matches.push({ offset, line, before: [...before], after: [] });
      }
      if (context === 0) return;
      before.push(line);
      if (before.length > context) before.shift();
    },
  };
}

/** Whether a text is anywhere in a part of a file. No line crosses the ends of a part, so no match does. */
async function contains(
  path: string,
  { start, end, text }: { readonly start: LineStart; readonly end: LineStart; readonly text: string },
): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(end.position - start.position);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start.position);
    return bytes.subarray(0, bytesRead).includes(text);
  } finally {
    await file.close();
  }
}
