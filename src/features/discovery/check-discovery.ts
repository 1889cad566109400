import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { ListedBoard } from '../../load/features/open-feature.ts';
import { checkPatterns } from '../../load/features/tool-patterns.ts';
import { nearestNames } from '../../tool/texts/suggest.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { describeEmbedder, findMaker, type MakeEmbedder } from '../../vectors/embedder-config.ts';
import type { DiscoverySections } from './discovery-settings.ts';

/** Finds faults in `discovery.embedder` that its schema cannot detect: an unknown platform, a missing key. */
export function checkEmbedder(
  sections: DiscoverySections,
  makers: Readonly<Record<string, MakeEmbedder>>,
): Diagnostic[] {
  return sections.flatMap((section): Diagnostic[] => {
    const { embedder } = section.value;
    if (embedder === undefined || findMaker(embedder, makers) !== undefined) return [];
    try {
      describeEmbedder(embedder);
      return [];
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const field = error.field !== undefined && error.field in embedder ? [error.field] : [];
      return [section.at(['embedder', ...field], error.message)];
    }
  });
}

/** Reports pinned names that no tool has, with the nearest one. On a board with servers, the tool may be added later. */
export function checkPinned(sections: DiscoverySections, tools: readonly Tool[], board: ListedBoard): Diagnostic[] {
  if (board.hasServers)
    return sections.flatMap((section) => checkPatterns(section, [[['pinned'], section.value.pinned]], board));
  const names = tools.map(({ metadata }) => metadata.name);
  return sections.flatMap((section) =>
    [...(section.value.pinned ?? []).entries()].flatMap(([position, name]): Diagnostic[] => {
      if (names.includes(name)) return [];
      const [nearest] = nearestNames(name, names, 1);
      const hint =
        nearest === undefined
          ? `The board has ${names.length} ${names.length === 1 ? 'tool' : 'tools'}.`
          : `Did you mean "${nearest}"?`;
      return [section.at(['pinned', position], `there is no tool "${name}" to pin. ${hint}`, 'warning')];
    }),
  );
}
