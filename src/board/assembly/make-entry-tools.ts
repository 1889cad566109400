import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import type { BoardMode } from '../../load/board-mode.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { Tool } from '../../tool/tool.ts';
import { warnOfTwo } from './collect-entries.ts';
import type { PlacedEntries } from './list-parts.ts';
import { explainLeftOut } from './look.ts';
import { keepTools, type KeptTools, toDiagnostic } from './make-tools.ts';

/** The tools of entries, except those that servers run. */
interface EntryTools {
  readonly tools: ReadonlyMap<string, { readonly tool: Tool; readonly entry: ToolEntry }>;
  readonly diagnostics: readonly Diagnostic[];
  /** True when scripts were left out, because the board is opened to look. */
  readonly lacksScripts: boolean;
}

interface MakeOptions {
  readonly host: KindHost;
  readonly mode: BoardMode;
  /** The tools of the reading before, where they are still good. */
  readonly before: KeptTools | undefined;
  /** Takes the tools, for the next reading. */
  readonly kept: KeptTools;
}

/** Makes the tools of entries. Of two tools with one name the last is used, with a warning. */
export async function makeEntryTools(
  entries: PlacedEntries,
  { host, mode, before, kept }: MakeOptions,
): Promise<EntryTools> {
  const tools = new Map<string, { readonly tool: Tool; readonly entry: ToolEntry; readonly file: LoadedFile }>();
  const diagnostics: Diagnostic[] = [];
  let lacksScripts = false;
  for (const [key, { entry, file }] of entries) {
    // Those are made with each list of tools.
    if (entry.kind.isLive) continue;
    const leftOut = mode === 'look' ? explainLeftOut(entry, file) : [];
    diagnostics.push(...leftOut);
    lacksScripts ||= leftOut.length > 0;
    if (leftOut.length > 0) continue;
    const made = await keepTools(key, entry, { host, before, kept });
    diagnostics.push(...made.faults.map((fault) => toDiagnostic(fault, entry, file)));
    for (const tool of made.tools) {
      const { name } = tool.metadata;
      const other = tools.get(name);
      if (other !== undefined && other.tool !== tool) diagnostics.push(warnOfTwo(name, other, { entry, file }));
      tools.set(name, { tool, entry, file });
    }
  }
  return { tools, diagnostics, lacksScripts };
}
