import type { DoctorContext, DoctorFinding, ToolEntry } from '../../../kinds/kind.ts';
import { isBroken } from '../../../kinds/broken.ts';
import { inTime } from '../../../kinds/kind-faults.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { describeValue } from '../../../tool/texts/describe-value.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

export interface Check {
  /** The subject as one word: command, variable, host, server. */
  readonly kind: string;
  readonly name: string;
  /** `missing` means that tools cannot work without it. */
  readonly status: 'ok' | 'warning' | 'missing';
  readonly detail: string;
  /** The tools that need it. */
  readonly tools: readonly string[];
}

/** Tools grouped by their needs. */
export class Needs {
  readonly #tools = new Map<string, Set<string>>();

  add(need: string, tool: string): void {
    const tools = this.#tools.get(need) ?? new Set();
    this.#tools.set(need, tools.add(tool));
  }

  /** Lists each need with its tools, in the order of addition. */
  list(): { readonly need: string; readonly tools: readonly string[] }[] {
    return [...this.#tools].map(([need, tools]) => ({ need, tools: [...tools] }));
  }
}

/** A need of a tool, as reported by its kind. */
export interface ToolNeed {
  readonly tool: string;
  readonly file: string;
  /** The path of its entry in the file. */
  readonly path: ToolEntry['path'];
  readonly finding: DoctorFinding;
}

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

/** Asks one kind for its findings and reports failures. Parts of the board that the entry uses are checked with the board. */
async function askKind(entry: ToolEntry, context: DoctorContext): Promise<readonly DoctorFinding[]> {
  const { kind, metadata } = entry;
  const warn = (detail: string): DoctorFinding[] => [
    { need: 'own', kind: 'tool', name: metadata.name, status: 'warning', detail },
  ];
  try {
    // A plugin may be written without types.
    const found: unknown = kind.doctor === undefined ? undefined : await inTime(kind, kind.doctor(entry, context));
    if (kind.doctor !== undefined && !Array.isArray(found ?? []))
      return warn(`the kind "${kind.type}" must return a list of findings; it returned ${describeValue(found)}`);
    if (kind.doctor !== undefined) return toList(found).map((finding) => readFinding(finding, entry));
  } catch (error) {
    return warn(`the check of the kind "${kind.type}" failed: ${messageOf(error)}`);
  }
  const isLookedAt = isBroken(entry) || kind.uses(entry).length > 0;
  return isLookedAt ? [] : warn(`the kind "${kind.type}" does not report its needs`);
}

function toList(found: unknown): readonly unknown[] {
  return Array.isArray(found) ? found : [];
}

const STATUSES: ReadonlySet<unknown> = new Set<Check['status']>(['ok', 'warning', 'missing']);
/** The required texts of each type of finding. */
const TEXTS: Readonly<Record<DoctorFinding['need'], readonly string[]>> = {
  command: ['name'],
  host: ['url'],
  variable: ['name'],
  sandbox: [],
  limits: [],
  own: ['kind', 'name', 'detail'],
};

/** Validates a finding. An invalid one becomes a warning that names the kind. */
function readFinding(finding: unknown, { kind: { type }, metadata }: ToolEntry): DoctorFinding {
  const warn = (detail: string, name = metadata.name): DoctorFinding => ({
    need: 'own',
    kind: 'tool',
    name,
    status: 'warning',
    detail,
  });
  if (!isPlainObject(finding)) return warn(`the kind "${type}" returned ${describeValue(finding)} as a finding`);
  const { need, status, detail, name, folders } = finding;
  if (typeof need !== 'string' || !Object.hasOwn(TEXTS, need))
    return warn(
      `the kind "${type}" returned the need ${describeValue(need)}. Use one of: ${Object.keys(TEXTS).join(', ')}`,
    );
  // The name is one of the table's keys.
  const unsaid = TEXTS[need as DoctorFinding['need']].find((key) => typeof finding[key] !== 'string');
  if (unsaid !== undefined || (need === 'sandbox' && !Array.isArray(folders)))
    return warn(
      `the kind "${type}" returned a finding with the need "${need}" without a ${unsaid ?? 'list of folders'}`,
    );
  if (need === 'own' && !STATUSES.has(status))
    return warn(
      `${String(detail)} (the kind "${type}" returned the status ${describeValue(status)}; it must be one of: ${[...STATUSES].join(', ')})`,
      String(name),
    );
  // Every part that is read was checked.
  return finding as unknown as DoctorFinding;
}
