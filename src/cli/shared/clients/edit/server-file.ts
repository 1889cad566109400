/** A part of a client's file: a server, or something that stands beside servers. */
export interface Part {
  /** Identifies it in its file. */
  readonly key: string;
  /** The server that it belongs to, if any. */
  readonly server: string | undefined;
  readonly start: number;
  readonly end: number;
  /** The position after the comma that follows; `end` without one. */
  readonly behind: number;
  /** True when an entry can stand in its place. */
  readonly isReplaceable: boolean;
}

/** The parts around the servers of one section of a file. */
export interface Layout {
  readonly parts: readonly Part[];
  /** The position of the first part. */
  readonly open: number;
  readonly close: number;
  /** True when commas separate the parts. */
  readonly hasCommas: boolean;
  /** The text before a new part. */
  readonly gap: string;
  /** The text after the only part of a section or file that was empty. */
  readonly closing: string;
}

/** A format of client files, whose texts are changed in place. */
export interface FileFormat {
  /** Parses the file. Throws for a syntax error. */
  parse(text: string): unknown;
  /** Finds the parts of a section; `undefined` when the file has no such section. */
  layout(text: string, section: readonly string[]): Layout | undefined;
  /** Formats one server as it stands in the section. */
  format(text: string, section: readonly string[], server: NamedServer): string;
  /** Adds a server to a file without the section. */
  create(text: string, section: readonly string[], server: NamedServer): string;
  /** Removes servers from a text that was cut out of a section. */
  without(text: string, section: readonly string[], names: ReadonlySet<string>): string;
}

export interface NamedServer {
  readonly name: string;
  readonly value: unknown;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap. Those at one position apply in their order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let rest = 0;
  const pieces = edits
    .toSorted((one, other) => one.start - other.start)
    .map(({ start, end, text: added }) => {
      const piece = text.slice(rest, start) + added;
      rest = end;
      return piece;
    });
  return pieces.join('') + text.slice(rest);
}

/** Consecutive parts of the same servers, by their indexes. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** Finds the runs of parts that belong to some servers. */
export function runsOf({ parts }: Layout, names: ReadonlySet<string>): Run[] {
  const runs: Run[] = [];
  for (const [index, { server }] of parts.entries()) {
    if (server === undefined || !names.has(server)) continue;
    const last = runs.at(-1);
    if (last?.to === index - 1) runs[runs.length - 1] = { ...last, to: index };
    else runs.push({ from: index, to: index });
  }
  return runs;
}

/** Returns the position at which a run is cut: behind the comments above it, which stay. */
export function cutPosition(text: string, layout: Layout, { from }: Run): number {
  const floor = layout.parts[from - 1]?.behind ?? layout.open;
  const above = text.slice(floor, layout.parts[from]?.start);
  const kept = above.trimEnd();
  // The line of a comment ends before the next text.
  const line = /[#/]/.test(kept) ? (/^[ \t]*\r?\n/.exec(above.slice(kept.length))?.[0].length ?? 0) : 0;
  return floor + kept.length + line;
}

/** Returns the edits that remove a run. Comments around it stay. */
export function cutRun(text: string, layout: Layout, run: Run): Edit[] {
  const last = layout.parts[run.to];
  const before = layout.parts[run.from - 1];
  if (last === undefined) return [];
  const start = cutPosition(text, layout, run);
  if (before === undefined || last.behind > last.end || !layout.hasCommas)
    return [{ start, end: last.behind, text: '' }];
  // The last part has no comma behind it, so that of the part before must go.
  const comma = { start: before.behind - 1, end: before.behind, text: '' };
  return [comma, { start, end: last.end, text: '' }];
}

/** Removes the parts of some servers. */
export function cutServers(text: string, layout: Layout, names: ReadonlySet<string>): string {
  return applyEdits(
    text,
    runsOf(layout, names).flatMap((run) => cutRun(text, layout, run)),
  );
}

/** A text to insert as a part, and the place for it. */
export interface NewPart {
  readonly text: string;
  /** The key of the part before it; `undefined` for the first one. */
  readonly after: string | undefined;
  /** The text between that part and its comma, which stays. */
  readonly comma?: string;
  /** The text between that part, or its comma, and this one, which stays. */
  readonly gap: string;
  /** The text between this part and the next one, which stays. */
  readonly below?: string;
  /** The whitespace before it. */
  readonly lead: string;
  /** The text up to its comma, with it. */
  readonly tail: string;
  /** True when other parts stood behind it, without which it has no comma. */
  readonly isFollowed?: boolean;
}

/** Inserts a part behind another one, or as the last when that is gone. */
export function insertPart(text: string, layout: Layout, part: NewPart): string {
  const { parts, hasCommas } = layout;
  const found = parts.findIndex(({ key }) => key === part.after);
  const isKnown = part.after === undefined || found >= 0;
  const at = endOfTable(layout, part, isKnown ? found : parts.length - 1);
  const anchor = parts[at];
  const hasComma = anchor !== undefined && anchor.behind > anchor.end;
  const isOpen = hasCommas && anchor !== undefined && !hasComma;
  // The comma of the part above may have been removed with this one.
  const comma = isOpen && text.startsWith((part.comma ?? '') + part.gap, anchor.end) ? (part.comma ?? '') : '';
  const base = (anchor?.behind ?? layout.open) + comma.length;
  const between = text.slice(base, parts[at + 1]?.start ?? layout.close);
  const offset = isKnown ? offsetIn(between, part) : undefined;
  const start = base + (offset ?? 0);
  const isFollowed = hasComma || (anchor === undefined && parts.length > 0);
  const own = part.isFollowed === true ? '' : part.tail;
  const tail = hasCommas && isFollowed ? part.tail || ',' : own;
  const lead = offset === undefined ? layout.gap : part.lead;
  const isUnchanged = part.below !== undefined && between === part.gap + part.below;
  const isOneLine = parts.length === 0 && !between.includes('\n') && !isUnchanged;
  const closing = hasCommas && isOneLine && lead.includes('\n') ? layout.closing : '';
  const separator = isOpen ? [{ start: base, end: base, text: ',' }] : [];
  return applyEdits(text, [...separator, { start, end: start, text: lead + part.text + tail + closing }]);
}

/** Finds the place of a part between two others by the text above it, or else below it: comments there may have changed. */
function offsetIn(between: string, { gap, below }: NewPart): number | undefined {
  if (between.startsWith(gap)) return gap.length;
  return below !== undefined && between.endsWith(below) ? between.length - below.length : undefined;
}

/** Returns the index of the part after which a new one stands. In TOML a table would take over the keys below it. */
function endOfTable({ parts, hasCommas }: Layout, { text }: NewPart, index: number): number {
  if (hasCommas || !text.startsWith('[')) return index;
  const next = parts.findIndex(({ isReplaceable }, at) => at > index && isReplaceable);
  return (next === -1 ? parts.length : next) - 1;
}

/** Adds a server behind the others, or replaces the one with its name. */
export function putServer(
  format: FileFormat,
  text: string,
  { section, server }: { readonly section: readonly string[]; readonly server: NamedServer },
): string {
  const layout = format.layout(text, section);
  if (layout === undefined) return format.create(text, section, server);
  const added = format.format(text, section, server);
  const names = new Set([server.name]);
  const [run, ...others] = runsOf(layout, names);
  const [first, last] = [layout.parts[run?.from ?? -1], layout.parts[run?.to ?? -1]];
  if (first?.isReplaceable === true && last !== undefined) {
    const rest = others.flatMap((other) => cutRun(text, layout, other));
    return applyEdits(text, [{ start: first.start, end: last.end, text: added }, ...rest]);
  }
  const rest = cutServers(text, layout, names);
  const below = format.layout(rest, section) ?? layout;
  const after = below.parts.at(-1)?.key;
  const part = { text: added, after, lead: below.gap };
  if (below.hasCommas) return insertPart(rest, below, { ...part, gap: '', tail: '' });
  // A text without statements may have comments, which stay above.
  return insertPart(rest, below, { ...part, gap: after === undefined ? rest : '', tail: below.closing });
}

/** Keeps only what stands between the first and the last part of a text. */
export function trimToParts(text: string, layout: Layout | undefined): string {
  return text.slice(layout?.parts[0]?.start ?? 0, layout?.parts.at(-1)?.end ?? 0);
}
