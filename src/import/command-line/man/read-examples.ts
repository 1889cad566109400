import type { PageExample } from '../command-page.ts';
import { type ManSection, textOf } from './sections.ts';

const MAX_EXAMPLES = 20;
const MAX_DESCRIPTION = 160;
/** `Example 2: Sync all objects of a bucket to another`: says more than the sentences below it. */
const HEADING = /^Example \d+: (.+)$/s;

/** Command lines that a manual page shows by themselves, with the sentence before each. */
export function readExamples(sections: readonly ManSection[], command: readonly string[]): PageExample[] {
  const program = (command[0] ?? '').split('/').at(-1) ?? '';
  const words = [program, ...command.slice(1)].join(' ');
  const found: PageExample[] = [];
  for (const { blocks, title } of sections) {
    if (title === 'SYNOPSIS') continue;
    let about = '';
    let heading = '';
    for (const block of blocks) {
      if (block.type === 'text' || block.type === 'tag') about = textOf(block);
      heading = HEADING.exec(about)?.[1] ?? heading;
      if (block.type !== 'literal') continue;
      for (const line of block.lines
        .join('\n')
        .replaceAll(/\\\n\s*/g, '')
        .split('\n')) {
        const text = line.trim().replace(/^[$#%]\s+/, '');
        if (text !== words && !text.startsWith(`${words} `)) continue;
        found.push({ description: toDescription(heading === '' ? about : heading), line: text });
        [about, heading] = ['', ''];
      }
    }
  }
  return found.slice(0, MAX_EXAMPLES);
}

function toDescription(text: string): string {
  // A dot within a word, as in test.txt, ends no sentence.
  const [last] = /(?:[^.]|\.(?=\S))*:$/.exec(text) ?? [];
  const [first = ''] = /^(?:[^.]|\.(?=\S))*\.?/.exec(text) ?? [];
  const sentence = (last ?? first).trim().replace(/:$/, '').replaceAll('``', '');
  return /^examples?$/i.test(sentence) || sentence.length > MAX_DESCRIPTION ? '' : sentence;
}

/** The headings of examples that a manual page shows, each with what it is about. */
export function readPurposes(sections: readonly ManSection[]): string[] {
  return sections
    .filter(({ title }) => /^EXAMPLES?\b/.test(title))
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'tag' || type === 'subsection').map(textOf))
    .filter((text) => /^[A-Z][a-z]+ \S+/.test(text) && text.length <= MAX_DESCRIPTION);
}
