import type { ToolRisk } from '../core/tool-metadata.ts';
import type { Tool } from '../core/tool.ts';
import type { ApprovalLevel, PolicySection } from './policy-section.ts';
import { riskOf } from '../core/risk-of.ts';

/** Tells whether calls of a tool need somebody's yes. What is said of the tool itself comes before `global`. */
export function needsApproval(section: PolicySection, tool: Tool): boolean {
  const { name } = tool.metadata;
  const own = [ownValue(section.tools, name)?.require_approval, ownValue(section.approval?.tools, name)];
  const said = own.filter((value) => value !== undefined);
  // Said twice, the stricter one holds.
  if (said.length > 0) return said.some((value) => asksFor(value, riskOf(tool)));
  return asksFor(section.approval?.global ?? 'write', riskOf(tool));
}

/** The value under a key of the object's own: a tool may be called `constructor`. */
export function ownValue<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function asksFor(level: ApprovalLevel | boolean, risk: ToolRisk): boolean {
  switch (level) {
    case 'none':
    case false:
      return false;
    case 'destructive':
      return risk === 'destructive';
    case 'write':
      return risk !== 'read';
    case 'all':
    case true:
      return true;
  }
}
