import { nearestNames } from '../../tool/texts/suggest.ts';
import { withNames } from '../../tool/tool-names.ts';
import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';
import type { OfferedTool } from '../../mcp/client/offers/offered-items.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { compileGlob } from '../../tool/texts/compile-glob.ts';
import type { EntryFault } from '../kind.ts';
import { withPageAddress } from './resource-addresses.ts';
import type { ToolNames } from './name-tools.ts';
import type { ServerRules, ToolOverride } from './server-rules.ts';
import { upstreamTool } from './upstream-tool.ts';

export interface ServerTool {
  readonly tool: Tool;
  readonly upstream: string;
}

/** The tools of a server on a board, and faults for its author. */
export interface ServerTools {
  readonly tools: readonly ServerTool[];
  /** Paths are relative to the server's entry. */
  readonly notes: readonly EntryFault[];
  readonly remarks: readonly EntryFault[];
}

/** Creates the tools of a server according to its rules. `names` has all names of the tools, by their names on the server. */
export function serverTools(
  server: SharedServer,
  rules: ServerRules,
  names: ReadonlyMap<string, ToolNames>,
): ServerTools {
  const offers = server.manifest?.tools ?? [];
  const notes: EntryFault[] = server.manifest === undefined ? [] : findUnknownNames(rules, offers);
  for (const [tool, { note }] of names) if (note !== undefined) notes.push({ path: ['tools', tool], ...note });
  const schemas: OfferedSchemas[] = [];
  const tools = offers.flatMap((offered): ServerTool[] => {
    const named = names.get(offered.name);
    if (named?.name === undefined) return [];
    const override = rules.tools.get(offered.name) ?? {};
    const page = withPageAddress(offered._meta, server.addressOf);
    const own = {
      ...toMetadata(named.name, { server, rules, override }),
      ...(page === undefined ? {} : { _meta: page }),
    };
    const metadata = withNames(own, named.others);
    const { trustHints, keepsHidden } = rules;
    const made = upstreamTool({ server, offered, metadata, trustHints, keepsHidden });
    if (!made.ok) {
      notes.push({ path: ['tools', offered.name], message: `${quote(offered.name)} is left out: ${made.fault}.` });
      return [];
    }
    schemas.push({ offered, ...made });
    return [{ tool: made.tool, upstream: offered.name }];
  });
  notes.push(...warnOfSchemas(schemas));
  return { tools, notes, remarks: findUntrustedReaders(rules, offers, tools) };
}

/** Finds tools that claim to only read, if the config neither trusts nor contradicts them. */
function findUntrustedReaders(
  { trustHints }: ServerRules,
  offers: readonly OfferedTool[],
  tools: readonly ServerTool[],
): EntryFault[] {
  if (trustHints !== undefined) return [];
  const readers = new Set(
    offers.flatMap(({ name, annotations }) => (annotations?.['readOnlyHint'] === true ? [name] : [])),
  );
  const untrusted = tools.filter(({ upstream, tool }) => readers.has(upstream) && tool.metadata.risk === undefined);
  if (untrusted.length === 0) return [];
  const who =
    untrusted.length === 1 ? '1 tool says that it only reads' : `${untrusted.length} tools say that they only read`;
  return [
    {
      path: [],
      message: `${who}, which is not trusted: policies treat them as write. Set trust_hints: true to trust it, false to keep this, or state their risk.`,
    },
  ];
}

interface OfferedSchemas {
  readonly offered: OfferedTool;
  readonly unchecked: readonly string[];
  readonly isOld: boolean;
}

/** Warns about the schemas of tools that work nevertheless. */
export function warnOfSchemas(tools: readonly OfferedSchemas[]): EntryFault[] {
  const unchecked = tools.flatMap(({ offered, unchecked: parts }) =>
    parts.map((why) => `${quote(offered.name)} (${why})`),
  );
  const old = tools.flatMap(({ offered, isOld }) => (isOld ? [quote(offered.name)] : []));
  return [
    ...summarize('parts of its schemas are not understood, and not checked', unchecked),
    ...summarize('schemas of draft-04 are read as such', old),
    ...summarize('its schemas name formats that are not known, and not checked', findFormats(tools)),
  ];
}

const MAX_LISTED = 3;

/** Writes one line for all schemas of a server with the same problem. */
function summarize(what: string, items: readonly string[]): EntryFault[] {
  if (items.length === 0) return [];
  const more = items.length > MAX_LISTED ? `, and ${items.length - MAX_LISTED} more` : '';
  return [{ path: [], severity: 'warning', message: `${what}: ${items.slice(0, MAX_LISTED).join(', ')}${more}.` }];
}

/** Formats of JSON Schema, OpenAPI and common server libraries. */
const FORMATS =
  /^(?:date|time|date-time|duration|email|idn-email|hostname|idn-hostname|ipv[46]|uri|uri-reference|uri-template|iri|iri-reference|url|uuid|ulid|cuid2?|nanoid|json-pointer|relative-json-pointer|regex|u?int(?:8|16|32|64|128|ptr)?|float|double|decimal|byte|binary|password|base64(?:url)?|path|file-path|directory-path|json-string|phone|char)$/;

/** Finds uncommon formats. Pegboard checks no formats: they inform the caller. */
function findFormats(tools: readonly OfferedSchemas[]): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('format' in value && typeof value.format === 'string' && !FORMATS.test(value.format)) found.add(value.format);
    for (const item of Object.values(value)) visit(item);
  };
  for (const { offered } of tools) visit([offered.inputSchema, offered.outputSchema]);
  return [...found].map(quote);
}

/** Returns the names of the offered tools that the rules include; `undefined` while unknown. */
export function wantedNames({ manifest }: SharedServer, { include, exclude }: ServerRules): string[] | undefined {
  const wanted = include?.map(compileGlob);
  const unwanted = exclude.map(compileGlob);
  const isWanted = (name: string): boolean =>
    (wanted === undefined || wanted.some((matches) => matches(name))) && !unwanted.some((matches) => matches(name));
  return manifest?.tools.map(({ name }) => name).filter(isWanted);
}

function toMetadata(
  name: string,
  {
    server,
    rules,
    override,
  }: { readonly server: SharedServer; readonly rules: ServerRules; readonly override: ToolOverride },
): Omit<ToolMetadata, 'description'> & { readonly description?: string } {
  const tags = [...new Set([...(rules.tags ?? []), ...(override.tags ?? [])])];
  const fields = {
    displayName: override.title,
    description: override.description,
    category: override.category ?? rules.category,
    tags: tags.length === 0 ? undefined : tags,
    risk: override.risk ?? rules.risk,
    paths: override.paths ?? rules.paths,
    timeout: override.timeout ?? rules.timeout,
    maxOutput: override.maxOutput ?? rules.maxOutput,
    maxMedia: override.maxMedia ?? rules.maxMedia,
  };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { name, source: server.settings.name, ...given };
}

/** Finds names in the rules that the server does not offer: a spelling mistake, or a removed tool. */
function findUnknownNames({ include = [], exclude, tools }: ServerRules, offers: readonly OfferedTool[]): EntryFault[] {
  const names = offers.map(({ name }) => name);
  const report = (key: string, name: string): EntryFault => {
    const [nearest] = nearestNames(name, names, 1);
    const hint = nearest === undefined ? '' : ` Did you mean ${quote(nearest)}?`;
    return { path: [key], message: `the server offers no tool ${quote(name)}.${hint}` };
  };
  const unmatched = (globs: readonly string[]): readonly string[] =>
    globs.filter((glob) => !names.some(compileGlob(glob)));
  return [
    ...unmatched(include).map((name) => report('include', name)),
    ...unmatched(exclude).map((name) => report('exclude', name)),
    ...[...tools.keys()].filter((name) => !names.includes(name)).map((name) => report('tools', name)),
  ];
}

function quote(name: string): string {
  return JSON.stringify(name);
}
