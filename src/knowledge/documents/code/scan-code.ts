import type { Node } from '@vscode/tree-sitter-wasm';
import { HeadingStack, type Section } from '../section.ts';
import { bodyOf, declarationIn, isRemark, nameOf } from './code-nodes.ts';
import type { CodeParser } from './code-parser.ts';

/** Longer files were not written by hand, and parsing them would take seconds. */
const MAX_PARSED = 1_000_000;
const MAX_DEPTH = 8;

/** Finds the functions, classes and members of source code; splits at empty lines without a parser. */
export function scanCode(text: string, parser: CodeParser | undefined): Section[] {
  if (parser === undefined || text.length > MAX_PARSED) return scanPlainCode(text);
  const sections = parser.parse(text, (root) => {
    const stack = new HeadingStack();
    readMembers(root, { text, stack, depth: 1 });
    return stack.end(text.length);
  });
  return sections ?? scanPlainCode(text);
}

interface Scan {
  readonly text: string;
  readonly stack: HeadingStack;
  readonly depth: number;
}

function readMembers(parent: Node, scan: Scan): void {
  const { text, stack, depth } = scan;
  let remarksFrom: Node | undefined;
  let wasDeclaration = false;
  let last: Node | undefined;
  for (const node of parent.namedChildren) {
    if (node === null) continue;
    // A comment belongs to what follows it without an empty line.
    const isApart = last === undefined || node.startPosition.row > last.endPosition.row + 1;
    if (isApart) remarksFrom = undefined;
    last = node;
    if (isRemark(node)) {
      remarksFrom ??= node;
      continue;
    }
    const start = lineStart(text, (remarksFrom ?? node).startIndex);
    remarksFrom = undefined;
    const declaration = declarationIn(node);
    const name = declaration === undefined ? undefined : nameOf(declaration);
    // A member on the same line as its container stays with it.
    if (declaration !== undefined && name !== undefined && isLineStart(text, start)) {
      stack.heading(start, depth, name);
      const body = depth < MAX_DEPTH ? bodyOf(declaration) : undefined;
      if (body === undefined) markStatements(declaration, scan);
      else readMembers(body, { ...scan, depth: depth + 1 });
      wasDeclaration = true;
      continue;
    }
    if (wasDeclaration) stack.heading(start, depth);
    else if (isApart) stack.block(start);
    wasDeclaration = false;
  }
}

/** Marks the statements of a function as preferred places to split. */
function markStatements(declaration: Node, { text, stack }: Scan): void {
  const body = declaration.childForFieldName('body');
  let row = -1;
  for (const statement of body?.namedChildren ?? []) {
    if (statement === null) continue;
    // A comment stays with its statement.
    if (statement.startPosition.row > row) stack.block(lineStart(text, statement.startIndex));
    row = isRemark(statement) ? statement.endPosition.row + 1 : statement.endPosition.row;
  }
}

/** Returns the start of the line if only white space precedes the position, else the position itself. */
function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--;
  return isLineStart(text, start) ? start : at;
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n';
}

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
