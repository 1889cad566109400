import type { Node } from '@vscode/tree-sitter-wasm';
import { HeadingStack, type Section } from '../section.ts';
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

/** Nodes that declare something with a name, in all grammars. */
const DECLARATION =
  /^(?:(?:async_)?function|generator_function|method|constructor|class|abstract_class|interface|enum|struct|record|trait|module|namespace|internal_module|union|object|property|operator|destructor|type_alias|type|protocol|macro|const|static|mod|impl|singleton_method|file_scoped_namespace|delegate)(?:_(?:declaration|definition|item|specifier|signature))?$/;

/** Nodes whose members are declarations. */
const CONTAINER = /class|interface|struct|record|trait|impl|module|namespace|^mod_item$/;

/** Bodies of containers. */
const BODY =
  /^(?:class_body|declaration_list|field_declaration_list|block|body_statement|interface_body|statement_block|enum_body|class_declaration_list|compound_statement)$/;

/** Nodes around a declaration: exports, decorators, templates. */
const WRAPPER =
  /^(?:export_statement|decorated_definition|template_declaration|ambient_declaration|expression_statement)$/;

const COMMENT = /comment|attribute_item|annotation/;
const MAX_NAME = 100;

/** Returns true for a comment or attribute of the next declaration. */
function isRemark(node: Node): boolean {
  return COMMENT.test(node.type);
}

function declarationIn(node: Node): Node | undefined {
  if (DECLARATION.test(node.type) && node.type !== 'property_signature') return node;
  if (isLongVariable(node)) return node;
  if (!WRAPPER.test(node.type)) return undefined;
  for (const child of node.namedChildren) {
    const found = child === null ? undefined : declarationIn(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns true for `const x = …` over several lines, usually a function or a table. */
function isLongVariable({ type, startPosition, endPosition }: Node): boolean {
  return /^(?:lexical_declaration|variable_declaration)$/.test(type) && endPosition.row > startPosition.row + 2;
}

/** Returns the body of a class or similar container, whose members are declarations too. */
function bodyOf(node: Node): Node | undefined {
  if (!CONTAINER.test(node.type)) return undefined;
  return (
    node.childForFieldName('body') ??
    node.namedChildren.find((child) => child !== null && BODY.test(child.type)) ??
    undefined
  );
}

function nameOf(node: Node): string | undefined {
  const name =
    node.childForFieldName('name') ??
    declaratorName(node.childForFieldName('declarator')) ??
    node.childForFieldName('type') ??
    firstNamed(node);
  const text = name?.text.replaceAll(/\s+/g, ' ').trim() ?? '';
  return text === '' || text.length > MAX_NAME ? undefined : text;
}

/** In C, the name of a function is below pointers and parameters. */
function declaratorName(node: Node | null): Node | null {
  const inner = node?.childForFieldName('declarator') ?? null;
  return inner === null ? node : declaratorName(inner);
}

/** Go's `type X struct` and JavaScript's `const x =` have the name one level below. */
function firstNamed(node: Node): Node | null {
  for (const child of node.namedChildren) {
    const name = child?.childForFieldName('name');
    if (name !== undefined && name !== null) return name;
  }
  return null;
}
