import type * as Linkedom from 'linkedom';
import type { Decoded } from '../decode-text.ts';
import { loadPeers } from '../load-peers.ts';
import { isNestedDeeper } from './tag-depth.ts';
import { writeMarkdown } from './write-markdown.ts';

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
export function htmlToMarkdown(html: string, { below = 0 }: { readonly below?: number } = {}): Decoded {
  if (isNestedDeeper(html, MAX_DEPTH))
    return { ok: false, reason: `has tags more than ${MAX_DEPTH} deep in each other; close them` };
  const loaded = loadPeers(['linkedom'], 'HTML');
  if (!loaded.ok) return loaded;
  // The package has its own types.
  const [{ parseHTML }] = loaded.peers as [typeof Linkedom];
  const page = html.replaceAll(STRAY_SIGN, '&lt;');
  // A fragment needs a document around it.
  const { document } = parseHTML(/<html[\s>]/i.test(page) ? page : `<html><body>${page}</body></html>`);
  const main = document.querySelector('main, article, [role=main]') ?? document.querySelector('body') ?? document;
  for (const node of main.querySelectorAll(NOISE)) node.remove();
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  const markdown = writeMarkdown(main, below);
  const isTitled = below > 0 || title === '' || /^# /m.test(markdown);
  return { ok: true, text: isTitled ? markdown : `# ${title}\n\n${markdown}` };
}
