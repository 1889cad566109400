import { HeadingStack, type Section } from './section.ts';

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const ATX = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
const QUOTE = /^ {0,3}>/;
const INDENTED = /^(?: {4}| {0,3}\t)/;
/** The line below a table's header row. */
const TABLE_RULE = /^ {0,3}(?=[^|]*\|)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
/** Raw HTML that ends at its own mark, and HTML that ends at an empty line. */
const RAW_HTML: readonly (readonly [RegExp, RegExp])[] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
];
const BLOCK_HTML =
  /^ {0,3}<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|\/?>|$)/i;
const LONE_TAG =
  /^ {0,3}<(?:\/[a-z][a-z0-9-]*\s*|[a-z][a-z0-9-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?)>\s*$/i;

/** The block that the previous line leaves open. */
type State =
  | { readonly type: 'none' }
  | { readonly type: 'paragraph'; readonly start: number }
  | { readonly type: 'table'; readonly start: number; readonly rows: number }
  | { readonly type: 'fence'; readonly mark: string }
  | { readonly type: 'html'; readonly until: RegExp }
  /** A list or a quote: its lines are not headings of the document. */
  | { readonly type: 'container'; readonly isList: boolean; readonly isBlank: boolean };

const MAX_TITLE = 300;
const MAX_TAG = 1_000;
const NONE: State = { type: 'none' };
const BLANK = /^[ \t]*$/;

/**
 * Finds the headings and blocks of a Markdown text, line by line.
 *
 * It finds only headings of the document: those inside lists, quotes, fences and HTML belong to their container. A
 * title is above all headings of a text without one of the first level. Yields after each line, for `runInTurns`,
 * because a text may be long.
 */
export function* scanMarkdown(text: string, title?: string): Generator<void, Section[]> {
  const stack = new HeadingStack(title === undefined || /^# /m.test(text) ? [] : [title]);
  let state: State = NONE;
  let at = 0;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? text.length : newline + 1;
    const line = text.slice(at, newline === -1 ? text.length : newline).replace(/\r$/, '');
    state = readLine(line, state, { at, stack, text });
    at = next;
    yield;
  }
  if (state.type === 'table') endTable(state, text.length, stack);
  return stack.end(text.length);
}

interface Place {
  readonly text: string;
  readonly at: number;
  readonly stack: HeadingStack;
}

function readLine(line: string, state: State, place: Place): State {
  switch (state.type) {
    case 'fence':
      return closesFence(line, state.mark) ? NONE : state;
    case 'html':
      return state.until.test(line) ? NONE : state;
    case 'container':
      return inContainer(line, state, place);
    case 'paragraph': {
      if (BLANK.test(line)) return NONE;
      const setext = SETEXT.exec(line);
      if (setext !== null) {
        const title = plainTitle(place.text.slice(state.start, place.at));
        place.stack.heading(state.start, setext[1]?.startsWith('=') === true ? 1 : 2, title);
        return NONE;
      }
      if (TABLE_RULE.test(line) && isTableHeader(place.text.slice(state.start, place.at)))
        return { type: 'table', start: state.start, rows: place.text.indexOf('\n', place.at) + 1 };
      return startBlock(line, place, true) ?? state;
    }
    case 'table': {
      if (state.rows > 0 && !BLANK.test(line) && !startsOther(line)) {
        if (place.at > state.rows) mark(place);
        return state;
      }
      endTable(state, place.at, place.stack);
      return BLANK.test(line) ? NONE : readLine(line, NONE, place);
    }
    case 'none':
      if (BLANK.test(line)) return NONE;
      return startBlock(line, place, false) ?? { type: 'paragraph', start: mark(place) };
  }
}

/** Returns true if a paragraph so far is one line with cells. */
function isTableHeader(paragraph: string): boolean {
  return paragraph.includes('|') && paragraph.indexOf('\n') === paragraph.length - 1;
}

function startsOther(line: string): boolean {
  return FENCE.test(line) || ATX.test(line) || QUOTE.test(line) || LIST_ITEM.test(line) || BLOCK_HTML.test(line);
}

function endTable({ start, rows }: State & { type: 'table' }, end: number, stack: HeadingStack): void {
  if (rows > 0 && end > rows) stack.table({ start, rows, end });
}

/** Returns the state after a line that starts something other than a paragraph. */
function startBlock(line: string, place: Place, isParagraph: boolean): State | undefined {
  const fence = FENCE.exec(line);
  if (fence?.[1] !== undefined) {
    mark(place);
    return { type: 'fence', mark: fence[1] };
  }
  const atx = ATX.exec(line);
  if (atx !== null) {
    place.stack.heading(place.at, atx[1]?.length ?? 1, plainTitle(withoutClosing(line.slice(atx[0].length))));
    return NONE;
  }
  if (RULE.test(line)) {
    mark(place);
    return NONE;
  }
  const isItem = LIST_ITEM.test(line);
  // A list that does not start at 1, or an empty item, does not interrupt a paragraph.
  const interrupts = !isParagraph || /^ {0,3}(?:[-+*]|1[.)])[ \t]+\S/.test(line);
  if (QUOTE.test(line) || (isItem && interrupts)) {
    mark(place);
    return { type: 'container', isList: isItem, isBlank: false };
  }
  for (const [start, end] of RAW_HTML) {
    const opening = start.exec(line);
    if (opening === null) continue;
    mark(place);
    return end.test(line.slice(opening[0].length - 1)) ? NONE : { type: 'html', until: end };
  }
  if (BLOCK_HTML.test(line) || (!isParagraph && line.length < MAX_TAG && LONE_TAG.test(line))) {
    mark(place);
    return { type: 'html', until: BLANK };
  }
  if (!isParagraph && INDENTED.test(line)) {
    mark(place);
    return NONE;
  }
  return undefined;
}

/** Continues a list or quote while its lines are indented, quoted, or continue a paragraph. */
function inContainer(line: string, state: State & { type: 'container' }, place: Place): State {
  if (BLANK.test(line)) return state.isList ? { ...state, isBlank: true } : NONE;
  if (state.isList && /^(?: {2,}|\t)/.test(line)) return { ...state, isBlank: false };
  const started = startBlock(line, place, !state.isBlank);
  if (started !== undefined) return started;
  return state.isBlank ? { type: 'paragraph', start: mark(place) } : state;
}

function closesFence(line: string, opening: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return closing !== undefined && closing[0] === opening[0] && closing.length >= opening.length;
}

function mark({ at, stack }: Place): number {
  stack.block(at);
  return at;
}

/** `Title ##` → `Title`, without a regular expression, which would backtrack over a long line. */
function withoutClosing(rest: string): string {
  const text = rest.trimEnd();
  let end = text.length;
  while (end > 0 && text[end - 1] === '#') end--;
  return end === 0 || /\s/.test(text[end - 1] ?? '') ? text.slice(0, end) : text;
}

/** Returns a heading as people read it: links by their text, without marks. */
function plainTitle(text: string): string {
  return text
    .trim()
    .slice(0, MAX_TITLE)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]+>|[`*]+|\\(?=[!-/:-@[-`{-~])/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
