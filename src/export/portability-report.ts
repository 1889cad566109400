/** What an exporter did about one place in one tool. */
export type PortabilityAction = 'rewritten' | 'dropped' | 'renamed' | 'narrowed' | 'quarantined';

/** One place where a tool and a provider's rules differ. */
export interface PortabilityEntry {
  readonly tool: string;
  /** The argument concerned, as `filter.tags[]`; `(arguments)`, `name` or `description` for the tool itself. */
  readonly path: string;
  /** The provider's rule, in a word or two. */
  readonly rule: string;
  readonly action: PortabilityAction;
  /** What was done, or how to fix it. */
  readonly message: string;
}

/** Everything an export changed, and the tools it left out. */
export interface PortabilityReport {
  readonly entries: readonly PortabilityEntry[];
  /** Names of tools that were not exported; each has an entry that says why. */
  readonly quarantined: readonly string[];
  /** One line per entry, as `formatReport` gives. */
  toString(): string;
}

/** The report as lines `tool › path › rule › what was done or how to fix it`; empty when nothing was changed. */
export function formatReport(report: Pick<PortabilityReport, 'entries'>): string {
  return report.entries
    .map(({ tool, path, rule, action, message }) => `${tool} › ${path} › ${rule} › ${action}: ${message}`)
    .join('\n');
}

/** A report over these entries. */
export function createReport(entries: readonly PortabilityEntry[]): PortabilityReport {
  const quarantined = entries.filter((entry) => entry.action === 'quarantined').map((entry) => entry.tool);
  const report = { entries, quarantined: [...new Set(quarantined)] };
  // Not enumerable, so that a report prints and compares as plain data.
  return Object.defineProperty(report, 'toString', { value: () => formatReport(report), enumerable: false });
}
