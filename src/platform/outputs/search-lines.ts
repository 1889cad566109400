import { open } from 'node:fs/promises';
import { type LineIndex, type LineStart, readLines, toLineText } from './output-lines.ts';

/** A search in a stored output. */
export type OutputSearch = (
  | {
      /** Text to find within one line. */
      readonly text: string;
    }
  | {
      /** Returns true for a matching line. */
      readonly pattern: (line: string) => boolean;
    }
) & {
  /** Maximum number of matches. Default: 50. */
  readonly limit?: number;
  /** Lines to show before and after each match. Default: 0. */
  readonly context?: number;
  readonly signal?: AbortSignal | undefined;
};

/** A matching line of a stored output. */
export interface OutputMatch {
  /** Number of lines before it: reading from this offset starts with the match. */
  readonly offset: number;
  readonly line: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The matching lines, in order. */
export interface OutputMatches {
  readonly matches: readonly OutputMatch[];
  /** True when there are more matches than the limit. */
  readonly hasMore: boolean;
}

interface SearchedFile {
  readonly path: string;
  readonly size: number;
  readonly lines: LineIndex;
}

/** Searches a file line by line in constant memory. Skips parts that do not contain the text as bytes. */
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
    // After a skipped part, reads it again for the lines before a match.
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
    /** True while lines after the last match are missing. */
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

/** Returns true when a part of a file contains a text. Parts end at line ends, so no match crosses them. */
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
