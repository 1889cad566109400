import type { PageExample } from '../command-page.ts';
import type { HelpSection } from './help-lines.ts';

/** Returns the paragraphs that describe the command: above its lists, or at the end of a script's own text. */
export function readSummaries(
  lines: readonly string[],
  command: readonly string[],
  isCommandTitle: (title: string) => boolean,
): string[] {
  const end = lines.findIndex((line) => /^\s*-{1,2}[A-Za-z]/.test(line) || isCommandTitle(line.trim()));
  const above = end === -1 ? lines : lines.slice(0, end);
  const found = above
    .join('\n')
    .split(/\n\s*\n/)
    .flatMap((paragraph) => readParagraph(paragraph.split('\n'), command));
  const isScript = command[0]?.includes('/') === true;
  return found.length > 0 || !isScript || end === -1 ? found : readBelow(lines.slice(end));
}

/** Returns the text of a paragraph, without the usage and headings in it. */
function readParagraph(lines: readonly string[], command: readonly string[]): string[] {
  const name = command.at(-1) ?? '';
  const isAboutUsage = isUsage(lines.find((line) => line.trim() !== '') ?? '', command);
  const text = lines
    .filter((line) => !/^\s*usage:?|^\s+or:|^\s{6,}|^examples?\b|:$/i.test(line))
    .filter((line) => !isAboutUsage || !(isUsage(line, command) || /^\s+(?:[[<({|]|-\w)/.test(line)))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const isNamed = text.startsWith(`${name} - `);
  const isForm = text.startsWith(`${command.join(' ')} `) && !isNamed && /[<[]/.test(text);
  // Authors of scripts may begin a text right below the usage in lower case.
  const isSmall = isAboutUsage && name.includes('/') && /^[a-z]+ [\w ,'-]+[.]?$/.test(text);
  const isSentence = /^[A-Z]/.test(text) || isNamed || text.startsWith(`${name} `) || isSmall;
  if (!isSentence || isForm || !text.includes(' ')) return [];
  const told = text.replace(`${name} - `, '');
  return [isSmall ? told.replace(/^[a-z]/, (letter) => letter.toUpperCase()) : told];
}

/** True for a usage line: its heading, or the command followed by an option or a value. */
function isUsage(line: string, [program = '', ...words]: readonly string[]): boolean {
  const [first = '', ...rest] = line.trim().split(/\s+/);
  if (/^usage:?$/i.test(first)) return true;
  const next = rest.find((word, at) => word !== words[at]) ?? '';
  return first.split('/').at(-1) === program.split('/').at(-1) && /^(?:[[<({]|--?\w|[A-Z_]{2,}$)/.test(next);
}

/** Sentences below the lists on other subjects. */
const REMARK =
  /^(?:reports?|for|see|use|run|please|notes?|type|examples?|copyright|written|more|full|this|if|with|without|when|by|all|any|default|options?|exit|returns?|requires?|environment|the following)\b/i;

/** Returns unindented lines below the lists that are whole sentences. */
function readBelow(lines: readonly string[]): string[] {
  const told = lines.find((line) => /^[A-Z][a-z]+ .*[.]$/.test(line) && !REMARK.test(line));
  return told === undefined ? [] : [told.trim()];
}

/** Reads the command lines in a help text, with the remark above each. */
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
      // A remark may also follow the line.
      const [shown = '', behind = ''] = line.split(/\s{2,}#\s*/, 2);
      examples.push({ description: remark.join(' ') || behind, line: shown });
      remark = [];
      isRemark = false;
    } else if (/^(?:#\s*)?=>/.test(line)) {
      // Describes the line above.
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
