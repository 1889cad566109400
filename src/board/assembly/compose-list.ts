import { isBroken } from '../../kinds/broken.ts';
import { cleanDiagnostics, type Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { Refusal, ToolOffer } from '../../load/features/tool-list.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import type { OfferSource } from '../../tool/offers.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import type { Tool } from '../../tool/tool.ts';
import { joinOffers } from '../offers/live-offers.ts';
import { makeTools, toDiagnostic } from './make-tools.ts';
import { createListDraft, type ListDraft, type ListParts } from './list-draft.ts';

/** A list of tools after the phases of all features. */
export interface ComposedList extends Pick<ListDraft, 'list' | 'entryOf'> {
  readonly tools: readonly Tool[];
  /** The names of disabled tools that the policies would allow. */
  readonly unavailable: readonly string[];
  /** Reasons for refusing tools, by tool name, which callers may learn. */
  readonly refused: ReadonlyMap<string, string>;
  /** Reasons for refusing tools, by tool name, for people only. */
  readonly denied: ReadonlyMap<string, string>;
  /** Prompts and resources of servers that the lock accepts. */
  readonly offers: OfferSource;
  readonly diagnostics: readonly Diagnostic[];
}

/** Composes the list of tools: everything offered, without tools that the lock or features refuse, and with tools that features add. */
export async function composeList(parts: ListParts): Promise<ComposedList> {
  const { setup, made, features } = parts;
  const draft = createListDraft(parts);
  const { list } = draft;
  const given = new Set(namesOf(setup.tools));
  // Disabled tools are not on the board, but rules and agents may name them.
  const broken = [...made.tools.values()].flatMap(({ tool, entry }) => (isBroken(entry) ? [tool] : []));
  const offered = await offerTools(parts, draft, broken);
  for (const offer of offered) if (given.has(offer.tool.metadata.name)) list.report(warnOfGiven(offer));
  const denied = new Map<string, string>();
  for (const { open } of features)
    for (const [name, reason] of (await open.gate?.(offered, list)) ?? []) denied.set(name, reason);
  const passed = offered.flatMap(({ tool }) => (denied.has(tool.metadata.name) ? [] : [tool]));
  // Tools defined in code belong to the program: no lock pins them.
  const all = [
    ...passed.filter(({ metadata }) => !given.has(metadata.name)),
    ...setup.tools,
    ...equip(parts, draft, { passed, taken: new Set([...namesOf(offered.map(({ tool }) => tool)), ...given]) }),
    ...broken.filter(({ metadata }) => !given.has(metadata.name)),
  ];
  // An entry with the name of a tool in code says nothing about that tool.
  for (const name of given) draft.forget(name);
  const left = filterTools(all, parts, draft);
  const board = {
    all,
    mayCome: (pick: unknown) => list.mayCome(pick),
    hasServers: features.some(({ open }) => open.hasLateTools === true),
  };
  list.report(...features.flatMap(({ open }) => open.listed?.(left.tools, board) ?? []));
  const off = new Set(namesOf(broken).filter((name) => !given.has(name)));
  return {
    list,
    entryOf: draft.entryOf,
    tools: left.tools.filter(({ metadata }) => !off.has(metadata.name)),
    unavailable: namesOf(left.tools).filter((name) => off.has(name)),
    refused: left.shown,
    denied: new Map([...denied, ...left.denied]),
    offers: joinNamedOffers(parts, draft),
    diagnostics: cleanDiagnostics(draft.diagnostics, setup.resources.secretLists.redactor),
  };
}

/** The first phase: the tools of files and features, then those that get free names. */
async function offerTools(parts: ListParts, draft: ListDraft, broken: readonly Tool[]): Promise<ToolOffer[]> {
  const { made, entries, features, setup, host } = parts;
  const offers: ToolOffer[] = [...made.tools.values()].flatMap(({ tool, entry }) =>
    isBroken(entry) ? [] : [{ tool, origin: draft.originOf(entry) }],
  );
  for (const { feature, open } of features) {
    for (const one of (await open.tools?.()) ?? [])
      offers.push('origin' in one ? one : { tool: parseTool(one), origin: `feature ${feature.name}` });
  }
  const expected: string[] = [];
  for (const placed of entries.values()) {
    const { entry } = placed;
    if (!entry.kind.isLive) continue;
    // No other tool gets the name of an entry whose server has not answered yet.
    expected.push(entry.metadata.name);
    const live = await makeTools(entry, host);
    draft.list.report(...live.faults.map((fault) => toDiagnostic(fault, placed)));
    for (const tool of live.tools) {
      const [found] = features.flatMap(({ open }) => open.originOf?.(tool) ?? []);
      offers.push(found ?? { tool, origin: draft.originOf(entry) });
      draft.place(tool, { entry, server: found?.server });
    }
  }
  const known = [...offers.map(({ tool }) => tool), ...broken, ...setup.tools];
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
  { features, setup }: ListParts,
  { list, entryOf }: ListDraft,
  { passed, taken }: { readonly passed: readonly Tool[]; readonly taken: Set<string> },
): Tool[] {
  const known = [
    ...passed.map((tool) => ({ tool, entry: entryOf(tool.metadata.name) })),
    ...setup.tools.map((tool) => ({ tool, entry: undefined })),
  ];
  return features.flatMap(({ open }) => {
    const added = open.equip?.(known, taken, list) ?? [];
    for (const name of namesOf(added)) taken.add(name);
    return added;
  });
}

/** The tools that features leave to callers, with the descriptions that features set. */
interface FilteredTools {
  readonly tools: readonly Tool[];
  /** Reasons that callers may learn, by tool name. */
  readonly shown: ReadonlyMap<string, string>;
  /** Reasons for people only. */
  readonly denied: ReadonlyMap<string, string>;
}

/** The fourth phase: each feature removes tools, then describes the remaining ones. */
function filterTools(tools: readonly Tool[], { features }: ListParts, { list }: ListDraft): FilteredTools {
  const shown = new Map<string, string>();
  const denied = new Map<string, string>();
  let left = tools;
  for (const { feature, open } of features) {
    const found = open.filter?.(left, list) ?? new Map<string, string | Refusal>();
    for (const [name, refusal] of found) {
      if (typeof refusal === 'string') denied.set(name, `${refusal} (${feature.name})`);
      else (refusal.isShown === true ? shown : denied).set(name, refusal.reason);
    }
    if (found.size > 0) left = left.filter(({ metadata }) => !found.has(metadata.name));
  }
  const describing = features.flatMap(({ open }) => (open.describe === undefined ? [] : [open]));
  const described = left.map((tool) =>
    describe(
      tool,
      describing.map((open) => open.describe?.(tool, list)).findLast((text) => text !== undefined),
    ),
  );
  return { tools: described, shown, denied };
}

/** Returns the same tool with another description. */
function describe(tool: Tool, description: string | undefined): Tool {
  if (description === undefined) return tool;
  const { schema, outputSchema } = tool;
  return parseTool({
    metadata: { ...tool.metadata, description },
    schema,
    outputSchema,
    execute: (input: unknown, context: Parameters<Tool['run']>[1]) => tool.run(input, context),
  });
}

/** Joins prompts and resources of features whose names depend on those already used. */
function joinNamedOffers({ features }: ListParts, { list }: ListDraft): OfferSource {
  const request = { context: new ToolContext() };
  const fixed = features.flatMap(({ open: { offers } }) => (typeof offers === 'object' ? [offers] : []));
  const taken = new Set(fixed.flatMap((source) => source.prompts(request).map(({ id }) => id)));
  return joinOffers(
    features.flatMap(({ open: { offers } }) => (typeof offers === 'function' ? [offers(taken, list)] : [])),
  );
}

/** A tool in code replaces one of the files, as a later file would. */
function warnOfGiven({ tool, origin }: ToolOffer): Diagnostic {
  const message = `the tool "${tool.metadata.name}" is among the tools given in code too; that one is used.`;
  return { severity: 'warning', file: origin.slice(origin.indexOf(' ') + 1), path: [], message };
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ metadata }) => metadata.name);
}
