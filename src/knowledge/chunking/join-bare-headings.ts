import type { Section, StructuredText } from '../documents/section.ts';

/** Sections in which a heading with nothing under it has become the first line of the section that follows below it. */
export function joinBareHeadings({ text, sections }: StructuredText): Section[] {
  const joined: Section[] = [];
  for (const section of sections) {
    const before = joined.at(-1);
    if (before === undefined || !isBare(before, text) || section.depth <= before.depth || section.shown !== 1) {
      joined.push(section);
      continue;
    }
    joined[joined.length - 1] = { ...section, start: before.start, depth: before.depth, shown: before.shown + 1 };
  }
  return joined;
}

const MAX_HEADING = 300;

function isBare({ start, end, shown }: Section, text: string): boolean {
  if (shown === 0 || end - start > MAX_HEADING) return false;
  // Headings that were joined before stand on lines of their own.
  return text.slice(start, end).trim().split(/\n\s*/).length <= shown;
}
