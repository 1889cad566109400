import type { CommandAnswer, CommandView } from '../../../load/features/feature-command.ts';
import { type CliContext, printJson, printLine, printText } from '../cli-context.ts';
import { alignColumns, widthOf } from './columns.ts';
import type { CliOutput } from './gate-output.ts';
import { createStyle } from './style.ts';

/** Prints the answer of a command for a program or a person, and returns the exit code. */
export function printAnswer(answer: CommandAnswer, json: boolean, context: CliContext): number {
  const { data, view, notes = [], exitCode = 0 } = answer;
  const { stdout, stderr, env } = context;
  if (json || view === undefined) printJson(context, data);
  else printView(typeof view === 'function' ? view(createStyle(stdout, env), widthOf(stdout)) : view, stdout);
  if (json) return exitCode;
  const remarks = typeof notes === 'function' ? notes(createStyle(stderr, env)) : [notes].flat();
  for (const remark of remarks) printLine(stderr, remark);
  return exitCode;
}

function printView(view: CommandView, output: CliOutput): void {
  if (typeof view === 'string') return printLine(output, view);
  if ('text' in view) return printText(output, view.text);
  let rows: (readonly string[])[] = [];
  for (const item of [...view, undefined]) {
    if (typeof item === 'object') {
      rows.push(item);
      continue;
    }
    for (const line of alignColumns(rows, widthOf(output))) printLine(output, line);
    rows = [];
    if (item !== undefined) printLine(output, item);
  }
}
