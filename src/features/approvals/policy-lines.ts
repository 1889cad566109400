import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { resolve } from 'node:path';
import { dump } from 'js-yaml';
import type { ApprovalRow, PolicyLine } from '../../guard/approval/kept/approval-record.ts';
import { needsApproval } from '../../guard/policy/policy.ts';
import type { ApprovedCall } from '../../guard/policy/policy-section.ts';
import { policySections } from '../policy/feature.ts';
import { mergeSections } from '../../load/features/section.ts';
import { planChange, type PlannedChange } from '../../load/change-file.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { escapeVariables } from '../../tool/texts/escape-variables.ts';
import { findHidden } from '../../tool/texts/reveal-hidden.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';

/** A line that is ready to be written. */
interface PlannedLine extends PolicyLine {
  readonly line: ApprovedCall;
  write(): void;
  /** Removes it again, unless the file has changed since. */
  undo(): void;
}

/** Writes lines into the policies of a board. */
export interface PolicyLines {
  /** Plans the line that permanently allows such calls. */
  plan(row: ApprovalRow, scope: 'arguments' | 'tool'): Promise<PlannedLine>;
}

interface LineOptions {
  readonly files: () => readonly LoadedFile[];
  readonly findTool: (name: string) => Tool | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * Writes permanent approvals into the files whose policies required them: a rule in one file cannot waive an approval that another file
 * requires. Comments and all other lines stay unchanged.
 */
export function openPolicyLines({ files, findTool, env, cwd }: LineOptions): PolicyLines {
  return {
    async plan(row, scope) {
      const tool = findTool(row.tool);
      const asking = files().filter(
        (file) =>
          !file.isInline &&
          mergeSections(policySections, [file], cwd).policy.some(
            ({ value }) => tool !== undefined && needsApproval(value, tool, row.risk),
          ),
      );
      if (asking.length === 0) throw refuse(row, 'no file of the board has a policy that asks about it');
      const foreign = asking.find(({ dialect }) => dialect !== 'pegboard');
      if (foreign !== undefined) throw refuse(row, `${foreign.file} is a file of another program`);
      const line = toLine(row, scope);
      const planned = asking.map(({ file }): PlannedChange => {
        const path = resolve(cwd, file);
        const changed = { shown: file, path, text: readFileSync(path, 'utf8') };
        return planChange(changed, [{ section: 'policy', under: 'approved', append: [line] }], { env, cwd });
      });
      return {
        line,
        files: asking.map(({ file }) => file),
        text: dump([line], { flowLevel: 1, lineWidth: -1 }).trimEnd(),
        write: () => planned.forEach((change) => change.write()),
        undo: () => planned.forEach((change) => change.undo()),
      };
    },
  };
}

/** The line covers what the person saw: riskier calls, and a tool whose definition has changed, need another approval. */
function toLine(row: ApprovalRow, scope: 'arguments' | 'tool'): ApprovedCall {
  const { tool, risk, made: definition } = row;
  if (definition === undefined) throw refuse(row, 'an earlier version of Pegboard asked about it');
  if (scope === 'tool') return { tool, risk, definition };
  // The file would reveal a secret, and a value that JSON cannot represent would never match.
  if (row.exact === undefined || !isDeepStrictEqual(JSON.parse(JSON.stringify(row.exact)), row.input))
    throw refuse(row, 'its arguments contain a secret, or a value that a file cannot represent');
  // The line is shown before it is written, and people read the file: no value may look like another one.
  if (findHidden(JSON.stringify(row.exact)).length > 0) throw refuse(row, 'its arguments contain invisible characters');
  // Escaping changes only texts.
  const args = escapeVariables(row.exact) as Readonly<Record<string, unknown>>;
  return { tool, args, risk, definition };
}

function refuse({ tool, id }: ApprovalRow, why: string): ToolError {
  const message = `Calls of "${tool}" cannot be allowed permanently: ${why}. Allow this one once (approval ${id}), or change the policy yourself.`;
  return new ToolError({ code: 'invalid_arguments', message, toolName: tool, field: 'scope' });
}
