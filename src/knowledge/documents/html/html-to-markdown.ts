import type * as Linkedom from 'linkedom';
import type { Decoded } from '../decode-text.ts';
import { loadPeers } from '../load-peers.ts';
import { isNestedDeeper } from './tag-depth.ts';
import { writeMarkdown } from './write-markdown.ts';

/** What is not part of what a page says. */
const NOISE =
  'script, style, noscript, template, svg, iframe, nav, header[role=banner], footer, form, button, [aria-hidden=true]';

/** Browsers stop at 512. Beyond that the parser takes time by the square, and then runs out of stack. */
const MAX_DEPTH = 1000;
/** A sign that starts no tag: the parser would make a node of each. */
const STRAY_SIGN = /<(?![a-z/!?])/gi;

/**
 * The words of a page as Markdown: its main part, without menus and scripts.
 *
 * A page that is `below` a title, such as a chapter of a book, has its headings so much lower, and no title of its own.
 */
export function htmlToMarkdown(html: string, { below = 0 }: { readonly below?: number } = {}): Decoded {
  if (isNestedDeeper(html, MAX_DEPTH))
    return { ok: false, reason: `has tags more than ${MAX_DEPTH} deep in each other; close them` };
  const loaded = loadPeers(['linkedom'], 'HTML');
  if (!loaded.ok) return loaded;
  // The peer is what its own types say it is.
  const [{ parseHTML }] = loaded.peers as [typeof Linkedom];
  const page = html.replaceAll(STRAY_SIGN, '&lt;');
  // A fragment gets the frame that a parser needs.
  const { document } = parseHTML(/<html[\s>]/i.test(page) ? page : `<html><body>${page}</body></html>`);
  const main = document.querySelector('main, article, [role=main]') ?? document.querySelector('body') ?? document;
  for (const node of main.querySelectorAll(NOISE)) node.remove();
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  const markdown = writeMarkdown(main, below);
  const isTitled = below > 0 || title === '' || /^# /m.test(markdown);
  return { ok: true, text: isTitled ? markdown : `# ${title}\n\n${markdown}` };
}
