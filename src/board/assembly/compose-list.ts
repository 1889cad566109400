import type { SearchWords } from '../../discovery/index-source.ts';
import { isBroken } from '../../kinds/broken.ts';
import { cleanDiagnostics, type Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { ToolOffer } from '../../load/features/tool-list.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import type { OfferSource } from '../../tool/offers.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import { lock } from '../../features/lock/feature.ts';
import { requireApi } from '../features/feature-calls.ts';
import { joinOffers } from '../offers/join-offers.ts';
import type { BoardSkill, skillOffers } from '../offers/own-skills.ts';
import { filterTools } from './filter-tools.ts';
import { createListDraft, type ListDraft } from './list-draft.ts';
import type { ListParts } from './list-parts.ts';
import { makeTools, toDiagnostic } from './make-tools.ts';

/** A list of tools as the phases of all features leave it. */
export interface ComposedList extends Pick<ListDraft, 'list' | 'entryOf'> {
  readonly tools: readonly Tool[];
  /** The names of tools that are off, where the policies would let them pass. */
  readonly unavailable: readonly string[];
  /** Reasons for tools that are left out, by their names, which callers may learn. */
  readonly refused: ReadonlyMap<string, string>;
  /** Reasons for tools that are left out, by their names, for people alone. */
  readonly denied: ReadonlyMap<string, string>;
  /** Prompts and resources of skills and servers, as the lock leaves them. */
  readonly offers: OfferSource;
  /** Texts that searches read in addition to what tools say. */
  readonly searchWords: SearchWords;
  readonly diagnostics: readonly Diagnostic[];
}

/** Composes the list of tools: all that are offered, less those that the lock and features take away, with those that features add. */
export async function composeList(parts: ListParts): Promise<ComposedList> {
  const { options, tools, features } = parts;
  const draft = createListDraft(parts);
  const { list } = draft;
  const given = new Set(options.tools.map(({ metadata }) => metadata.name));
  // Disabled tools are not on the board, but rules and agents may name them.
  const broken = [...tools.values()].flatMap(({ tool, entry }) => (isBroken(entry) ? [tool] : []));
  const offered = await offerTools(parts, draft, broken);
  for (const offer of offered) if (given.has(offer.tool.metadata.name)) list.report(warnOfGiven(offer));
  const denied = new Map<string, string>();
  for (const { open } of features)
    for (const [name, reason] of (await open.gate?.(offered, list)) ?? []) denied.set(name, reason);
  const passed = offered.flatMap(({ tool }) => (denied.has(tool.metadata.name) ? [] : [tool]));
  // Tools of code belong to the program: no lock pins them.
  const all = [
    ...passed.filter(({ metadata }) => !given.has(metadata.name)),
    ...options.tools,
    ...equip(parts, draft, { passed, taken: new Set([...namesOf(offered.map(({ tool }) => tool)), ...given]) }),
    ...broken.filter(({ metadata }) => !given.has(metadata.name)),
  ];
  // An entry under the name of a tool of code says nothing about that tool.
  for (const name of given) draft.forget(name);
  const filtered = filterTools(all, features, list);
  const hasServers = features.some(({ open }) => open.servers !== undefined);
  list.report(
    ...features.flatMap(
      ({ open }) => open.listed?.(filtered.tools, { mayCome: (pick) => list.mayCome(pick), hasServers }) ?? [],
    ),
  );
  if (hasServers) list.report(...(await checkPatterns(parts, all)));
  const off = new Set(namesOf(broken).filter((name) => !given.has(name)));
  const searchWords = draft.searchWords(passed, requireApi(features, lock).of(list));
  return {
    list,
    entryOf: draft.entryOf,
    tools: filtered.tools.filter(({ metadata }) => !off.has(metadata.name)),
    unavailable: namesOf(filtered.tools).filter((name) => off.has(name)),
    refused: filtered.shown,
    denied: new Map([...denied, ...filtered.denied]),
    offers: await joinListOffers(parts, draft, new Set(namesOf(filtered.tools))),
    searchWords,
    diagnostics: cleanDiagnostics(draft.diagnostics, options.secretLists.redactor),
  };
}

/** The first phase: the tools of the files, of skills and of features, then those that get names which are not taken. */
async function offerTools(parts: ListParts, draft: ListDraft, broken: readonly Tool[]): Promise<ToolOffer[]> {
  const { tools, entries, skills, features, options, host } = parts;
  const offers: ToolOffer[] = [...tools.values()].flatMap(({ tool, entry }) =>
    isBroken(entry) ? [] : [{ tool, origin: draft.originOf(entry) }],
  );
  offers.push(...skills);
  for (const { feature, open } of features) {
    const own = (await open.tools?.()) ?? [];
    offers.push(...own.map((tool) => ({ tool: parseTool(tool), origin: `feature ${feature.name}` })));
  }
  const expected: string[] = [];
  for (const { entry, file } of entries.values()) {
    if (!entry.kind.isLive) continue;
    // No other tool gets the name of an entry whose server did not answer yet.
    expected.push(entry.metadata.name);
    const made = await makeTools(entry, host);
    draft.list.report(...made.faults.map((fault) => toDiagnostic(fault, entry, file)));
    for (const tool of made.tools) {
      const [found] = features.flatMap(({ open }) => open.originOf?.(tool) ?? []);
      offers.push(found ?? { tool, origin: draft.originOf(entry) });
      draft.place(tool, { entry, server: found?.server });
    }
  }
  const known = [...offers.map(({ tool }) => tool), ...broken, ...options.tools];
  const taken = new Set([...namesOf(known), ...expected]);
  for (const { open } of features) {
    for (const offer of (await open.namedTools?.(taken, draft.list)) ?? []) {
      offers.push(offer);
      draft.place(offer.tool, { entry: undefined, server: offer.server });
    }
  }
  return offers;
}

/** The third phase: tools that features add to those that the lock accepts. */
function equip(
  { features, options }: ListParts,
  { list, entryOf }: ListDraft,
  { passed, taken }: { readonly passed: readonly Tool[]; readonly taken: Set<string> },
): Tool[] {
  const known = [
    ...passed.map((tool) => ({ tool, entry: entryOf(tool.metadata.name) })),
    ...options.tools.map((tool) => ({ tool, entry: undefined })),
  ];
  return features.flatMap(({ open }) => {
    const added = open.equip?.(known, taken, list) ?? [];
    for (const name of namesOf(added)) taken.add(name);
    return added;
  });
}

/** Joins prompts and resources of skills, and of features whose names depend on those that are taken. */
async function joinListOffers(
  { features, skills }: ListParts,
  { list }: ListDraft,
  left: ReadonlySet<string>,
): Promise<OfferSource> {
  const request = { context: new ToolContext() };
  const fixed = features.flatMap(({ open: { offers } }) => (typeof offers === 'object' ? [offers] : []));
  const taken = new Set(fixed.flatMap((source) => source.prompts(request).map(({ id }) => id)));
  const named = features.flatMap(({ open: { offers } }) => (typeof offers === 'function' ? [offers(taken, list)] : []));
  const own = await skillOffersOf(skills, { isOnBoard: (name) => left.has(name) });
  return joinOffers([...(own === undefined ? [] : [own]), ...named]);
}

/** Most boards have no skills, and need not load what serves them. */
async function skillOffersOf(
  skills: readonly BoardSkill[],
  rights: Parameters<typeof skillOffers>[1],
): Promise<OfferSource | undefined> {
  if (skills.length === 0) return undefined;
  const loaded = await import('../offers/own-skills.ts');
  return loaded.skillOffers(skills, rights);
}

/** A tool of code takes the place of one of the files, as the last file would. */
function warnOfGiven({ tool, origin }: ToolOffer): Diagnostic {
  const message = `the tool "${tool.metadata.name}" is among the tools given in code too; that one is used.`;
  return { severity: 'warning', file: origin.slice(origin.indexOf(' ') + 1), path: [], message };
}

/** Only tools of servers have joined names. */
async function checkPatterns({ config }: ListParts, tools: readonly Tool[]): Promise<Diagnostic[]> {
  const { checkToolPatterns } = await import('../checks/check-tool-patterns.ts');
  return checkToolPatterns(config.files, tools);
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ metadata }) => metadata.name);
}
