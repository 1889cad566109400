import type { PageExample } from '../command-page.ts';
import type { HelpSection } from './split-sections.ts';

/** The command lines that a help text shows, with the remark above each. */
export function readExamples(sections: readonly HelpSection[], [program = '']: readonly string[]): PageExample[] {
  const name = program.split('/').at(-1) ?? program;
  return sections.filter(({ title }) => /\bexamples?\b/i.test(title)).flatMap(({ body }) => readLines(body, name));
}

function readLines(lines: readonly string[], name: string): PageExample[] {
  const examples: PageExample[] = [];
  let remark: string[] = [];
  let isRemark = false;
  for (const raw of lines) {
    const line = raw.trim().replace(/^\$\s+/, '');
    if (line === '') continue;
    if (line.startsWith(`${name} `)) {
      // A remark may stand behind the line, too.
      const [shown = '', behind = ''] = line.split(/\s{2,}#\s*/, 2);
      examples.push({ description: remark.join(' ') || behind, line: shown });
      remark = [];
      isRemark = false;
    } else if (/^(?:#\s*)?=>/.test(line)) {
      // What the line above does.
      const last = examples.pop();
      if (last !== undefined) examples.push({ ...last, description: line.replace(/^(?:#\s*)?=>\s*/, '') });
    } else if (line.startsWith('#')) {
      remark = [...(isRemark ? remark : []), line.replace(/^#+\s*/, '')];
      isRemark = true;
    } else {
      remark = [line.replace(/:$/, '')];
      isRemark = false;
    }
  }
  return examples;
}
