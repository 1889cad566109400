import { randomBytes } from 'node:crypto';
import { outputOwnerOf } from '../../../tool/calls/call-owner.ts';
import { describeValue } from '../../../tool/texts/describe-value.ts';
import type { ToolContext } from '../../../tool/tool-context.ts';
import { ToolError } from '../../../tool/tool-error.ts';

/** Links to further pages from servers, for the callers that may follow them. */
export interface PageLinks {
  /** Stores a link and returns its id. */
  keep(url: string, context: ToolContext): string;
  /** Returns the link. Throws `invalid_arguments` for an id that this caller did not get. */
  find(id: unknown, context: ToolContext, origin: string): string;
}

const MAX_LINKS = 1000;

/**
 * Keeps links for one tool. A caller gets an id and never sends an address: with the tool's credentials it could request anything
 * there.
 */
export function createPageLinks(param: string): PageLinks {
  const links = new Map<string, { readonly url: string; readonly owner: string | undefined }>();
  return {
    keep(url, context) {
      const id = randomBytes(12).toString('base64url');
      links.set(id, { url, owner: outputOwnerOf(context) });
      const [oldest] = links.keys();
      if (links.size > MAX_LINKS && oldest !== undefined) links.delete(oldest);
      return id;
    },
    find(id, context, origin) {
      const found = links.get(String(id));
      if (found !== undefined && found.owner === outputOwnerOf(context) && URL.parse(found.url)?.origin === origin)
        return found.url;
      const reason = 'is not one that an earlier answer gave, or is too old';
      const message = `Argument "${param}" ${reason}; got ${describeValue(id)}. Leave it out to begin with the first page.`;
      throw new ToolError({ code: 'invalid_arguments', message, field: param, reason });
    },
  };
}

/** Finds the target of a relation such as `next` in a `Link` header. */
export function findLink(header: string | readonly string[] | undefined, relation: string): string | undefined {
  const text = typeof header === 'string' ? header : (header ?? []).join(',');
  for (let from = text.indexOf('<'); from !== -1;) {
    const to = text.indexOf('>', from);
    if (to === -1) return undefined;
    const end = endOfLink(text, to + 1);
    const rels = /(?:^|;)\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(text.slice(to + 1, end));
    const names = (rels?.[1] ?? rels?.[2] ?? '').toLowerCase().split(/\s+/);
    if (names.includes(relation)) return text.slice(from + 1, to).trim();
    from = text.indexOf('<', end);
  }
  return undefined;
}

/** Finds the comma that ends a link, ignoring quoted ones. */
function endOfLink(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === ',' && !isQuoted) return at;
  }
  return text.length;
}
