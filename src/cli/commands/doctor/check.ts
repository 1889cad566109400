import type { DoctorFinding } from '../../../kinds/doctor-finding.ts';
import { isBroken } from '../../../kinds/broken/broken.ts';
import { inTime } from '../../../kinds/in-time.ts';
import type { DoctorContext, ToolEntry } from '../../../kinds/kind.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { describeValue } from '../../../tool/texts/describe-value.ts';
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
    // A plugin may be written without types.
    const found: unknown = kind.doctor === undefined ? undefined : await inTime(kind, kind.doctor(entry, context));
    if (kind.doctor !== undefined && !Array.isArray(found ?? []))
      return warn(`the kind "${kind.type}" must give a list of findings; it gave ${describeValue(found)}`);
    if (kind.doctor !== undefined) return toList(found).map((finding) => readFinding(finding, entry));
  } catch (error) {
    return warn(`the kind "${kind.type}" could not look: ${messageOf(error)}`);
  }
  const isLookedAt = isBroken(entry) || kind.uses(entry).length > 0;
  return isLookedAt ? [] : warn(`the kind "${kind.type}" does not say what it needs`);
}

function toList(found: unknown): readonly unknown[] {
  return Array.isArray(found) ? found : [];
}

const STATUSES: ReadonlySet<unknown> = new Set<Check['status']>(['ok', 'warning', 'missing']);
/** The text that a finding of each need must have. */
const TEXTS: Readonly<Record<DoctorFinding['need'], readonly string[]>> = {
  command: ['name'],
  host: ['url'],
  variable: ['name'],
  sandbox: [],
  limits: [],
  own: ['kind', 'name', 'detail'],
};

/** A finding as the doctor reads it. One in another form becomes a warning that names the kind. */
function readFinding(finding: unknown, { kind: { type }, metadata }: ToolEntry): DoctorFinding {
  const warn = (detail: string, name = metadata.name): DoctorFinding => ({
    need: 'own',
    kind: 'tool',
    name,
    status: 'warning',
    detail,
  });
  if (!isPlainObject(finding)) return warn(`the kind "${type}" gave ${describeValue(finding)} as a finding`);
  const { need, status, detail, name, folders } = finding;
  if (typeof need !== 'string' || !Object.hasOwn(TEXTS, need))
    return warn(`the kind "${type}" needs ${describeValue(need)}. Use one of: ${Object.keys(TEXTS).join(', ')}`);
  // The name is one of the table's.
  const unsaid = TEXTS[need as DoctorFinding['need']].find((key) => typeof finding[key] !== 'string');
  if (unsaid !== undefined || (need === 'sandbox' && !Array.isArray(folders)))
    return warn(`the kind "${type}" gave a finding of the need "${need}" without a ${unsaid ?? 'list of folders'}`);
  if (need === 'own' && !STATUSES.has(status))
    return warn(
      `${String(detail)} (the kind "${type}" gave the status ${describeValue(status)}; it must be one of: ${[...STATUSES].join(', ')})`,
      String(name),
    );
  // Each part that is read was looked at.
  return finding as unknown as DoctorFinding;
}
