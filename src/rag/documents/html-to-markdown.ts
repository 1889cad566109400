import type TurndownService from 'turndown';
import type * as Linkedom from 'linkedom';
import { loadPeers } from './load-peers.ts';
import type { Decoded } from './decode-text.ts';
import { isNestedDeeper } from './tag-depth.ts';

/** What is not part of what a page says. */
const NOISE =
  'script, style, noscript, template, svg, iframe, nav, header[role=banner], footer, form, button, [aria-hidden=true]';

/** Browsers stop at 512. Beyond that the libraries take time by the square, and then run out of stack. */
const MAX_DEPTH = 1000;

/** The words of a page as Markdown: its main part, without menus and scripts. */
export function htmlToMarkdown(html: string): Decoded {
  if (isNestedDeeper(html, MAX_DEPTH)) {
    return { ok: false, reason: `has tags more than ${MAX_DEPTH} deep in each other; close them` };
  }
  const loaded = loadPeers(['linkedom', 'turndown'], 'HTML');
  if (!loaded.ok) return loaded;
  // The peers are what their own types say they are.
  const [{ parseHTML }, turndown] = loaded.peers as [typeof Linkedom, Turndown];
  // A fragment gets the frame that a parser needs.
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  const main = document.querySelector('main, article, [role=main]') ?? document.querySelector('body') ?? document;
  for (const node of main.querySelectorAll(NOISE)) node.remove();
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  const Service = 'default' in turndown ? turndown.default : turndown;
  const service = new Service({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  const markdown = service.turndown(main).trim();
  const isTitled = title === '' || /^# /m.test(markdown);
  return { ok: true, text: isTitled ? markdown : `# ${title}\n\n${markdown}` };
}

type Turndown = typeof TurndownService | { readonly default: typeof TurndownService };
