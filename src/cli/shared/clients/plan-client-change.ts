import { existsSync, readFileSync, statSync } from 'node:fs';
import type { FileChange } from '../../../platform/store/change-files.ts';
import { isPlainObject, jsonEqual } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { type ClientText, serversUnder } from './client-text.ts';
import { valueUnder } from './edit/jsonc-format.ts';
import { type NamedServer, putServer } from './edit/server-file.ts';
import { type PlacedEntry, restoreServers, type TakenPart, takeServers } from './edit/take-servers.ts';
import { isOwnEntry } from './own-entry.ts';

type Section = readonly string[];
type Servers = Readonly<Record<string, unknown>>;

/** The servers that were taken out of one section of a client's file. */
export interface TakenSection {
  readonly section: Section;
  readonly servers: Servers;
  readonly parts: readonly TakenPart[];
  readonly placed?: PlacedEntry | undefined;
}

/** A server to add to a section of a client's file. */
export interface Addition {
  readonly section: Section;
  readonly server: NamedServer;
}

interface PlannedTaking {
  readonly text: string;
  readonly taken: readonly TakenSection[];
}

/** Plans taking servers out of a client's file, and adding our entry. Throws when the file cannot be changed in place. */
export function planTaking(
  client: Pick<ClientText, 'file' | 'format' | 'text' | 'servers'>,
  wanted: readonly { readonly section: Section; readonly name: string }[],
  entry: Addition | undefined,
): PlannedTaking {
  const { format, file } = client;
  const taken: TakenSection[] = [];
  let text = client.text;
  let expected: unknown = text.trim() === '' ? {} : format.parse(text);
  for (const section of file.sections) {
    const names = new Set(wanted.filter((one) => isSame(one.section, section)).map(({ name }) => name));
    const added = entry !== undefined && isSame(entry.section, section) ? entry.server : undefined;
    if (names.size === 0 && added === undefined) continue;
    const done = takeServers(format, text, { section, names, entry: added });
    const servers = client.servers.filter((one) => isSame(one.section, section) && names.has(one.name));
    text = done.text;
    taken.push({
      section,
      servers: Object.fromEntries(servers.map(({ name, value }) => [name, value])),
      parts: done.parts,
      placed: done.placed,
    });
    expected = changeSection(expected, section, (before) => ({
      ...Object.fromEntries(Object.entries(before).filter(([name]) => !names.has(name))),
      ...(added === undefined ? {} : { [added.name]: added.value }),
    }));
  }
  if (!holds(client, text, expected)) throw cannotChange(file.path);
  return { text, taken };
}

/** Plans adding a server to a client's file, or replacing the one with its name. */
export function planPutting(
  client: Pick<ClientText, 'file' | 'format' | 'text'>,
  { section, server: { name, value } }: Addition,
): string {
  const { format, file } = client;
  const text = putServer(format, client.text, { section, server: { name, value } });
  const before = client.text.trim() === '' ? {} : format.parse(client.text);
  const expected = changeSection(before, section, (servers) => ({ ...servers, [name]: value }));
  if (!holds(client, text, expected)) throw cannotChange(file.path);
  return text;
}

interface PlannedRestoring {
  readonly text: string;
  /** The names of our entries, which go. */
  readonly removed: readonly string[];
  readonly restored: readonly string[];
  /** Names that were given to other servers meanwhile. Those stay. */
  readonly kept: readonly string[];
}

/** Plans removing our entries from a client's file and adding the servers again that were taken. All later changes stay. */
export function planRestoring(client: ClientText, taken: readonly TakenSection[]): PlannedRestoring {
  const { format, file } = client;
  const sections = [...file.sections, ...taken.map(({ section }) => section)].filter(
    (section, index, all) => all.findIndex((other) => isSame(other, section)) === index,
  );
  const data = client.text.trim() === '' ? {} : format.parse(client.text);
  const plans = sections.map((section) => planSection(data, section, taken));
  const expected = plans.reduce<unknown>(
    (now, { section, own, back }) =>
      own.size === 0 && Object.keys(back).length === 0
        ? now
        : changeSection(now, section, (servers) => ({
            ...Object.fromEntries(Object.entries(servers).filter(([name]) => !own.has(name))),
            ...back,
          })),
    data,
  );
  const inPlace = plans.reduce((text, plan) => restoreServers(format, text, plan), client.text);
  const isExact = holds(client, inPlace, expected);
  // A file that was rearranged gets the servers at the end of their section.
  const text = isExact ? inPlace : plans.reduce((now, plan) => restoreAtEnd(client, now, plan), client.text);
  if (!isExact && !holds(client, text, expected)) throw cannotChange(file.path);
  return {
    text,
    removed: plans.flatMap(({ own }) => [...own]),
    restored: plans.flatMap(({ back }) => Object.keys(back)),
    kept: plans.flatMap(({ occupied, servers }) => Object.keys(servers).filter((name) => occupied.has(name))),
  };
}

type SectionPlan = ReturnType<typeof planSection>;

function planSection(data: unknown, section: Section, taken: readonly TakenSection[]) {
  const here = taken.filter((one) => isSame(one.section, section));
  const now = serversUnder(data, section);
  const own = new Set(now.filter(({ value }) => isOwnEntry(value)).map(({ name }) => name));
  const occupied = new Set(now.filter(({ name }) => !own.has(name)).map(({ name }) => name));
  const servers: Servers = Object.assign({}, ...here.map((one) => one.servers));
  const back = Object.fromEntries(Object.entries(servers).filter(([name]) => !occupied.has(name)));
  const parts = here.flatMap((one) => one.parts);
  return {
    section,
    parts,
    placed: here.find(({ placed }) => placed !== undefined)?.placed,
    own,
    occupied,
    servers,
    back,
  };
}

function restoreAtEnd({ format }: ClientText, text: string, { back, ...plan }: SectionPlan): string {
  const rest = restoreServers(format, text, { ...plan, parts: [], placed: undefined });
  return Object.entries(back).reduce(
    (now, [name, value]) => putServer(format, now, { section: plan.section, server: { name, value } }),
    rest,
  );
}

/** Plans a copy of a file beside it, under a name that is free. No copy is made twice. */
export function planCopy(path: string, text: string): FileChange | undefined {
  for (let count = 1; ; count++) {
    const copy = `${path}.pegboard-backup${count === 1 ? '' : `-${count}`}`;
    if (!existsSync(copy)) return { path: copy, before: undefined, after: text, mode: statSync(path).mode & 0o777 };
    if (readFileSync(copy, 'utf8') === text) return undefined;
  }
}

export function isSame(one: Section, other: Section): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}

function changeSection(data: unknown, [key, ...below]: Section, change: (servers: Servers) => Servers): unknown {
  const object = isPlainObject(data) ? data : {};
  if (key === undefined) return change(object);
  return { ...object, [key]: changeSection(object[key], below, change) };
}

/** Returns true when a text has exactly the expected values. Sections without servers may be missing. */
function holds({ format, file }: Pick<ClientText, 'format' | 'file'>, text: string, expected: unknown): boolean {
  try {
    const found = text.trim() === '' ? {} : format.parse(text);
    const [one, other] = [found, expected].map((data) => file.sections.reduce(withoutEmpty, data));
    return jsonEqual(one, other);
  } catch {
    return false;
  }
}

function withoutEmpty(data: unknown, section: Section): unknown {
  const found = valueUnder(data, section);
  const [key, ...below] = section;
  if (!isPlainObject(data) || !isPlainObject(found) || Object.keys(found).length > 0 || key === undefined) return data;
  if (below.length > 0) return { ...data, [key]: withoutEmpty(data[key], below) };
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== key));
}

function cannotChange(path: string): ToolError {
  const message = `${path} is written in a way that cannot be changed in place, so it was not changed.`;
  return new ToolError({ code: 'execution_failed', message });
}
