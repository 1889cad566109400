import {
  applyEdits,
  cutPosition,
  cutRun,
  cutServers,
  type FileFormat,
  insertPart,
  type Layout,
  type NamedServer,
  type NewPart,
  putServer,
  type Run,
  runsOf,
} from './server-file.ts';

/** Consecutive servers that were taken out of a file, and their place. */
export interface TakenPart extends Omit<NewPart, 'after'> {
  readonly names: readonly string[];
  /** The key of the part before them. */
  readonly after?: string;
  /** True when our entry stands in their place. */
  readonly isReplaced: boolean;
}

/** Our entry in a section of a client's file. */
export interface PlacedEntry {
  readonly name: string;
  /** The inside of an object that was empty before. */
  readonly inside?: string;
  /** True when the file did not have the section before. */
  readonly isSectionNew: boolean;
}

interface Taking {
  readonly section: readonly string[];
  /** The servers to take. */
  readonly names: ReadonlySet<string>;
  /** The entry to put in their place. */
  readonly entry?: NamedServer | undefined;
}

/** The new text of a file, and all that is needed to restore what was taken. */
export interface TakenServers {
  readonly text: string;
  readonly parts: readonly TakenPart[];
  readonly placed?: PlacedEntry;
}

/** Takes servers out of one section of a file, and puts an entry in the place of the first. Everything else stays as it is. */
export function takeServers(format: FileFormat, text: string, { section, names, entry }: Taking): TakenServers {
  const layout = format.layout(text, section);
  const runs = layout === undefined ? [] : runsOf(layout, names);
  // Replaces the servers by the entry where the format permits it.
  const place = entry === undefined ? undefined : runs.find(({ from }) => layout?.parts[from]?.isReplaceable);
  const rest =
    layout === undefined
      ? text
      : applyEdits(
          text,
          runs.flatMap((run) => {
            const [first, last] = [layout.parts[run.from], layout.parts[run.to]];
            if (run !== place || entry === undefined || first === undefined || last === undefined)
              return cutRun(text, layout, run);
            return [{ start: first.start, end: last.end, text: format.format(text, section, entry) }];
          }),
        );
  const parts =
    layout === undefined ? [] : runs.map((run) => describeRun(text, layout, { ...run, isReplaced: run === place }));
  if (entry === undefined) return { text: rest, parts };
  if (place !== undefined) return { text: rest, parts, placed: { name: entry.name, isSectionNew: false } };
  const now = format.layout(rest, section);
  const object = now ?? format.layout(rest, section.slice(0, -1));
  const inside = object?.parts.length === 0 ? { inside: rest.slice(object.open, object.close) } : {};
  return {
    text: putServer(format, rest, { section, server: entry }),
    parts,
    placed: { name: entry.name, isSectionNew: now === undefined, ...inside },
  };
}

function describeRun(
  text: string,
  layout: Layout,
  { isReplaced, ...run }: Run & { readonly isReplaced: boolean },
): TakenPart {
  const { parts, open } = layout;
  const [first, last, before] = [parts[run.from], parts[run.to], parts[run.from - 1]];
  const start = cutPosition(text, layout, run);
  const names = parts.slice(run.from, run.to + 1).flatMap(({ server }) => server ?? []);
  const next = parts[run.to + 1];
  return {
    names: [...new Set(names)],
    text: text.slice(first?.start, last?.end),
    ...(layout.hasCommas && before !== undefined ? { comma: text.slice(before.end, before.behind - 1) } : {}),
    gap: text.slice(before?.behind ?? open, start),
    lead: text.slice(start, first?.start),
    tail: text.slice(last?.end, last?.behind),
    isFollowed: next !== undefined,
    below: text.slice(last?.behind, next?.start ?? layout.close),
    ...(before === undefined ? {} : { after: before.key }),
    isReplaced,
  };
}

interface Restoring {
  readonly section: readonly string[];
  readonly parts: readonly TakenPart[];
  readonly placed: PlacedEntry | undefined;
  /** Our entries in the section, which go. */
  readonly own: ReadonlySet<string>;
  /** Names that other servers have now. Those stay. */
  readonly occupied: ReadonlySet<string>;
}

/** Puts taken servers back into a section and removes our entries. */
export function restoreServers(format: FileFormat, text: string, restoring: Restoring): string {
  const { section, parts, placed, own, occupied } = restoring;
  // An entry that stands beside the places of servers goes first, as it came last.
  const isBeside = placed?.isSectionNew === false && parts.every(({ isReplaced }) => !isReplaced);
  let restored = isBeside ? removeEntries(format, text, restoring) : text;
  // In reverse, because later parts may have been taken around earlier ones.
  for (const part of parts.toReversed()) {
    const layout = format.layout(restored, section);
    const servers = format.without(part.text, section, occupied);
    if (layout === undefined || servers === '') continue;
    const [run] = part.isReplaced && placed !== undefined ? runsOf(layout, new Set([placed.name])) : [];
    const [first, last] = [layout.parts[run?.from ?? -1], layout.parts[run?.to ?? -1]];
    if (placed !== undefined && own.has(placed.name) && first !== undefined && last !== undefined) {
      restored = applyEdits(restored, [{ start: first.start, end: last.end, text: servers }]);
      continue;
    }
    const lead = part.isReplaced ? layout.gap : part.lead;
    restored = insertPart(restored, layout, { ...part, text: servers, after: part.after, lead });
  }
  return isBeside ? restored : removeEntries(format, restored, restoring);
}

/** Removes our entries, and the section if it came with them. */
function removeEntries(format: FileFormat, text: string, { section, placed, own }: Restoring): string {
  const layout = format.layout(text, section);
  if (layout === undefined) return text;
  const rest = cutServers(text, layout, own);
  const now = format.layout(rest, section);
  if (placed === undefined || now === undefined || now.parts.length > 0) return rest;
  if (!placed.isSectionNew) return withInside(rest, now, placed);
  if (rest.slice(now.open, now.close).trim() !== '') return rest;
  const above = format.layout(rest, section.slice(0, -1));
  const name = section.at(-1);
  if (above === undefined || name === undefined || !now.hasCommas) return rest;
  const shorter = cutServers(rest, above, new Set([name]));
  const object = format.layout(shorter, section.slice(0, -1));
  return object === undefined || object.parts.length > 0 ? shorter : withInside(shorter, object, placed);
}

function withInside(text: string, layout: Layout, { inside }: PlacedEntry): string {
  if (inside === undefined || text.slice(layout.open, layout.close).trim() !== inside.trim()) return text;
  return text.slice(0, layout.open) + inside + text.slice(layout.close);
}
