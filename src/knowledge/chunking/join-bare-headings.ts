import type { Section, StructuredText } from '../documents/section.ts';

/** Joins each heading without text of its own to the subsection that follows it. */
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
  // Joined headings are on separate lines.
  return text.slice(start, end).trim().split(/\n\s*/).length <= shown;
}
