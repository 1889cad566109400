import { HeadingStack, type Section } from './section.ts';

/** Finds the paragraphs of a plain text: one section, with blocks at empty lines. */
export function scanText(text: string): Section[] {
  return scan(text, /(?:^|\n)[ \t]*\r?\n(?=[^\r\n])/g);
}

/** Finds the parts of source code without a grammar: each starts with a line without indentation after an empty line. */
export function scanPlainCode(text: string): Section[] {
  return scan(text, /\n[ \t]*\r?\n(?=[^\s})\]])/g);
}

function scan(text: string, boundary: RegExp): Section[] {
  const stack = new HeadingStack();
  for (const match of text.matchAll(boundary)) stack.block(match.index + match[0].length);
  return stack.end(text.length);
}
