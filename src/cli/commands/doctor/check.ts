import type { DoctorFinding } from '../../../kinds/doctor-finding.ts';
import { isBroken } from '../../../kinds/broken/broken.ts';
import { inTime } from '../../../kinds/in-time.ts';
import type { DoctorContext, ToolEntry } from '../../../kinds/kind.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

/** One line of the report. */
export interface Check {
  /** What it is, as one word: command, variable, host, server. */
  readonly kind: string;
  readonly name: string;
  /** `missing` is something that tools cannot do without. */
  readonly status: 'ok' | 'warning' | 'missing';
  readonly detail: string;
  /** The tools that need it. */
  readonly tools: readonly string[];
}

/** Tools by what they need. */
export class Needs {
  readonly #tools = new Map<string, Set<string>>();

  add(need: string, tool: string): void {
    const tools = this.#tools.get(need) ?? new Set();
    this.#tools.set(need, tools.add(tool));
  }

  /** Each need with the tools that have it, in the order they came. */
  list(): { readonly need: string; readonly tools: readonly string[] }[] {
    return [...this.#tools].map(([need, tools]) => ({ need, tools: [...tools] }));
  }
}

/** What a tool's kind says that it needs. */
export interface ToolNeed {
  readonly tool: string;
  readonly file: string;
  /** Where its entry stands in the file. */
  readonly path: ToolEntry['path'];
  readonly finding: DoctorFinding;
}

/** Asks the kinds of all entries what they need. */
export async function findNeeds(files: readonly LoadedFile[], context: DoctorContext): Promise<ToolNeed[]> {
  const entries = files.flatMap((file) => file.entries);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const findings = await askKind(entry, context);
      return findings.map((finding) => ({ tool: entry.metadata.name, file: entry.file, path: entry.path, finding }));
    }),
  );
  return found.flat();
}

/** A kind that cannot tell, or fails to, is told of. What an entry uses of the board is looked at with the board. */
async function askKind(entry: ToolEntry, context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { kind, metadata } = entry;
  const warn = (detail: string): DoctorFinding[] => [
    { need: 'own', kind: 'tool', name: metadata.name, status: 'warning', detail },
  ];
  try {
    if (kind.doctor !== undefined) return await inTime(kind, kind.doctor(entry, context));
  } catch (error) {
    return warn(`the kind "${kind.type}" could not look: ${messageOf(error)}`);
  }
  const isLookedAt = isBroken(entry) || kind.uses(entry).length > 0;
  return isLookedAt ? [] : warn(`the kind "${kind.type}" does not say what it needs`);
}
