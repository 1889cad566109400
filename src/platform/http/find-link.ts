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
