import type { HelpCommand } from './help-page.ts';

/** Every line of a list that can be read. */
export function readListing<T>(lines: readonly string[], read: (line: string) => T | undefined): T[] {
  return lines.flatMap((line) => {
    const item = read(line);
    return item === undefined ? [] : [item];
  });
}

/** `  commit, ci <file>   Record changes` → `commit`; `undefined` for other lines. */
export function readCommandLine(line: string): HelpCommand | undefined {
  const match =
    /^ {1,8}([a-z][\w-]*)\*?((?:, ?[\w-]+)*)((?: (?:<[^>]+>|\[[^\]]+\](?:\.\.\.)?))*)(?: {2,}| *$)(.*)$/.exec(line);
  const name = match?.[1];
  if (match === null || name === undefined || name === 'help') return undefined;
  return { name, description: (match[4] ?? '').trim() };
}
