import { isWithinRisk, type ToolRisk } from '../../tool/tool-metadata.ts';
import { isProgramTool } from '../../tool/tool-marks.ts';
import { permittingNames, restrictingNames } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';
import { digest } from '../approval/kept/approval-record.ts';
import type { ApprovalLevel, PolicySection } from './policy-section.ts';

/**
 * Returns true when a call of a tool with this risk needs approval. Settings of the tool take precedence over `global`.
 *
 * Settings under any of its names can require approval; only those under its own name can waive `global`.
 */
export function needsApproval(section: PolicySection, tool: Tool, given: ToolRisk): boolean {
  // A saved program only makes calls, and each of those is judged.
  const risk = isProgramTool(tool) ? 'read' : given;
  const asks = (level: ApprovalLevel | boolean): boolean => asksFor(level, risk);
  // Of several settings, the strictest counts.
  if (levelsFor(section, restrictingNames(tool)).some(asks)) return true;
  return levelsFor(section, permittingNames(tool)).length === 0 && asks(section.approval?.global ?? 'write');
}

interface JudgedCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly risk: ToolRisk;
  /** Returns the hash of the tool's definition, as in a line; `undefined` when unknown. */
  readonly definition: () => string | undefined;
}

/** Returns true when a person has allowed such calls permanently. Every part of a line must match. */
export function isApproved({ approved = [] }: PolicySection, { tool, args, risk, definition }: JudgedCall): boolean {
  // A CLImax file may have anything under this name.
  if (!Array.isArray(approved) || approved.length === 0) return false;
  const names = permittingNames(tool);
  return approved.some((line) => {
    if (typeof line === 'string') return names.includes(line);
    if (!names.includes(line.tool)) return false;
    if (line.risk !== undefined && !isWithinRisk(risk, line.risk)) return false;
    if (line.args !== undefined && digest(args) !== digest(line.args)) return false;
    return line.definition === undefined || line.definition === definition();
  });
}

function levelsFor(section: PolicySection, names: readonly string[]): (ApprovalLevel | boolean)[] {
  return names
    .flatMap((name) => [ownValue(section.tools, name)?.require_approval, ownValue(section.approval?.tools, name)])
    .filter((level) => level !== undefined);
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
