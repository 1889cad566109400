import type { Elicit } from '../../tool/elicitation.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { withNames } from '../../tool/tool-names.ts';
import type { ToolMetadata } from '../../tool/tool-metadata.ts';
import type { Tool } from '../../tool/tool.ts';
import type { OfferedTool } from '../../mcp/client/offered-tool.ts';
import type { SharedServer } from '../../mcp/client/shared-server.ts';
import { compileGlob } from '../../guard/policy/compile-glob.ts';
import type { EntryFault } from '../kind.ts';
import { chooseName, type Naming, otherNames } from './choose-name.ts';
import type { ServerRules, ToolOverride } from './server-rules.ts';
import { upstreamTool } from './upstream-tool.ts';

/** A tool of the board, and the one on the server that it stands for. */
export interface ServerTool {
  readonly tool: Tool;
  readonly upstream: string;
}

/** The tools a server puts on a board, and what its author should know. */
export interface ServerTools {
  readonly tools: readonly ServerTool[];
  /** Paths are below the server's entry. */
  readonly notes: readonly EntryFault[];
  /** Hints about what is right and may surprise. */
  readonly remarks: readonly EntryFault[];
}

/** What decides about the tools of a server, besides its rules. */
interface BoardSide {
  /** Tells which names the board has already. */
  readonly isTaken: (name: string) => boolean;
  /** What the names of the tools of other servers begin with. */
  readonly namespaces: readonly string[];
  readonly elicit: Elicit | undefined;
}

/** Makes the tools of a server, as its rules want them. */
export function serverTools(
  server: SharedServer,
  rules: ServerRules,
  { isTaken, namespaces, elicit }: BoardSide,
): ServerTools {
  const offers = server.manifest?.tools ?? [];
  const notes: EntryFault[] = server.manifest === undefined ? [] : findUnknownNames(rules, offers);
  const named = new Map<string, OfferedTool>();
  const isUsed = (name: string): boolean => isTaken(name) || named.has(name);
  const naming = (tool: string): Naming => ({ server: server.settings.name, tool, rules });
  for (const offered of offers.filter(selector(rules))) {
    const { name, note } = chooseName(naming(offered.name), { isUsed, namespaces });
    if (note !== undefined) notes.push({ path: ['tools', offered.name], message: note });
    if (name !== undefined) named.set(name, offered);
  }
  const tools = [...named].flatMap(([name, offered]): ServerTool[] => {
    const override = rules.tools.get(offered.name) ?? {};
    const names = otherNames(naming(offered.name), { isUsed, namespaces });
    const metadata = withNames(toMetadata(name, { server, rules, override }), names);
    const made = upstreamTool({ server, offered, metadata, trustHints: rules.trustHints, elicit });
    const path = ['tools', offered.name];
    if (!made.ok) {
      notes.push({ path, message: `${quote(offered.name)} is left out: ${made.fault}.` });
      return [];
    }
    if (made.note !== undefined) notes.push({ path, message: `of ${quote(offered.name)} ${made.note}.` });
    return [{ tool: made.tool, upstream: offered.name }];
  });
  return { tools, notes, remarks: findUntrustedReaders(rules, offers, tools) };
}

/** Tools that say that they only read, where the config neither believes nor contradicts them. */
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
      message: `${who}, which is not believed: policies take them for write. Set trust_hints: true to believe it, false to keep it so, or say their risk.`,
    },
  ];
}

function selector({ include, exclude }: ServerRules): (offered: OfferedTool) => boolean {
  const wanted = include?.map(compileGlob);
  const unwanted = exclude.map(compileGlob);
  return ({ name }) =>
    (wanted === undefined || wanted.some((matches) => matches(name))) && !unwanted.some((matches) => matches(name));
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

/** Names in the rules that the server does not offer: a spelling mistake, or a tool that is gone. */
function findUnknownNames({ include = [], exclude, tools }: ServerRules, offers: readonly OfferedTool[]): EntryFault[] {
  const names = offers.map(({ name }) => name);
  const told = (key: string, name: string): EntryFault => {
    const [nearest] = nearestNames(name, names, 1);
    const hint = nearest === undefined ? '' : ` Did you mean ${quote(nearest)}?`;
    return { path: [key], message: `the server offers no tool ${quote(name)}.${hint}` };
  };
  const unmatched = (globs: readonly string[]): readonly string[] =>
    globs.filter((glob) => !names.some(compileGlob(glob)));
  return [
    ...unmatched(include).map((name) => told('include', name)),
    ...unmatched(exclude).map((name) => told('exclude', name)),
    ...[...tools.keys()].filter((name) => !names.includes(name)).map((name) => told('tools', name)),
  ];
}

function quote(name: string): string {
  return JSON.stringify(name);
}
