/** An exporter's change to one place in one tool. */
export type PortabilityAction = 'rewritten' | 'dropped' | 'renamed' | 'narrowed' | 'quarantined';

/** One place where a tool violates a provider's rules. */
export interface PortabilityEntry {
  readonly tool: string;
  /** The affected argument, as `filter.tags[]`; `(arguments)`, `name` or `description` for the tool itself. */
  readonly path: string;
  /** The provider's rule, in a word or two. */
  readonly rule: string;
  readonly action: PortabilityAction;
  /** The change that was made, or the fix. */
  readonly message: string;
}

/** Everything an export changed, and the tools it skipped. */
export interface PortabilityReport {
  readonly entries: readonly PortabilityEntry[];
  /** Names of tools that were not exported; each has an entry that says why. */
  readonly quarantined: readonly string[];
  /** Returns one line per entry, like `formatReport`. */
  toString(): string;
}

/** Formats the report as lines `tool › path › rule › change or fix`; empty if nothing was changed. */
export function formatReport(report: Pick<PortabilityReport, 'entries'>): string {
  return report.entries
    .map(({ tool, path, rule, action, message }) => `${tool} › ${path} › ${rule} › ${action}: ${message}`)
    .join('\n');
}

export function createReport(entries: readonly PortabilityEntry[]): PortabilityReport {
  const quarantined = entries.filter((entry) => entry.action === 'quarantined').map((entry) => entry.tool);
  const report = { entries, quarantined: [...new Set(quarantined)] };
  // Not enumerable, so that a report prints and compares as plain data.
  return Object.defineProperty(report, 'toString', { value: () => formatReport(report), enumerable: false });
}
