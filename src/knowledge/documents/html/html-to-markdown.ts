import type * as Linkedom from 'linkedom';
import { writeMarkdown } from './write-markdown.ts';
import { DocumentRefusal, loadPeers } from '../document-refusal.ts';

/** Elements outside the content of a page. */
const NOISE =
  'script, style, noscript, template, svg, iframe, nav, header[role=banner], footer, form, button, [aria-hidden=true]';

/** Browsers stop at 512. Beyond that the parser takes quadratic time, and then runs out of stack. */
const MAX_DEPTH = 1000;
/** A `<` that starts no tag: the parser would create a node for each. */
const STRAY_SIGN = /<(?![a-z/!?])/gi;

/**
 * Converts the main part of a page to Markdown, without menus and scripts.
 *
 * A page `below` a title, such as a chapter of a book, has its headings that many levels lower, and no title of its
 * own.
 */
export function htmlToMarkdown(html: string, { below = 0 }: { readonly below?: number } = {}): string {
  if (isNestedDeeper(html, MAX_DEPTH))
    throw new DocumentRefusal(`has tags more than ${MAX_DEPTH} deep in each other; close them`);
  // The package has its own types.
  const [{ parseHTML }] = loadPeers(['linkedom'], 'HTML') as [typeof Linkedom];
  const page = html.replaceAll(STRAY_SIGN, '&lt;');
  // A fragment needs a document around it.
  const { document } = parseHTML(/<html[\s>]/i.test(page) ? page : `<html><body>${page}</body></html>`);
  const main = document.querySelector('main, article, [role=main]') ?? document.querySelector('body') ?? document;
  for (const node of main.querySelectorAll(NOISE)) node.remove();
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  const markdown = writeMarkdown(main, below);
  const isTitled = below > 0 || title === '' || /^# /m.test(markdown);
  return isTitled ? markdown : `# ${title}\n\n${markdown}`;
}

/** Tags without content. */
const EMPTY = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Tags that an opening tag closes, because people omit their closing tags. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  li: ['li'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  tr: ['td', 'th', 'tr'],
  tbody: ['td', 'th', 'tr', 'thead', 'tbody'],
  tfoot: ['td', 'th', 'tr', 'tbody'],
  option: ['option'],
  optgroup: ['option', 'optgroup'],
};
/** Tags that close a paragraph. */
const BLOCK =
  /^(?:p|h[1-6]|address|article|aside|blockquote|details|div|dl|fieldset|figure|footer|form|header|hr|main|nav|ol|pre|section|table|ul)$/;
/** Comments and raw text as a whole, or one tag. Every branch ends at the end of the text at the latest. */
const PIECE = /<!--[^]*?(?:-->|$)|<(script|style|svg|textarea|title)\b[^]*?(?:<\/\1\b|$)|<(\/?)([a-z][\w-]*)/gi;

/** Returns true if tags are nested deeper than the limit. Reads the text once, which is far faster than a parser. */
export function isNestedDeeper(html: string, limit: number): boolean {
  const open: string[] = [];
  for (const [, whole, slash, tag = ''] of html.matchAll(PIECE)) {
    const name = tag.toLowerCase();
    if (whole !== undefined || name === '' || EMPTY.has(name)) continue;
    if (slash === '/') {
      const at = open.lastIndexOf(name);
      if (at >= 0) open.length = at;
      continue;
    }
    if (BLOCK.test(name) && open.at(-1) === 'p') open.pop();
    const ended = ENDS[name] ?? [];
    while (ended.includes(open.at(-1) ?? '')) open.pop();
    if (open.push(name) > limit) return true;
  }
  return false;
}
