import type { CommandAnswer, CommandView } from '../../../load/features/feature-command.ts';
import { isJsonOf } from '../../../tool/json.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';
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

/** Describes the result of a call. `isKept` means that a file of the result is stored until the command ends. */
export function describeResult(result: ToolResult, isKept: boolean): CommandAnswer {
  if (result.failed()) {
    const { code } = result.error;
    return {
      data: result,
      view: [],
      notes: (style) => [
        `${style.red(code)} ${result.text.trimStart()}`,
        ...(code === 'approval_required' ? ['To approve it yourself, add --yes.'] : []),
      ],
      exitCode: 1,
    };
  }
  const others = (result.content ?? []).filter(({ type }) => type !== 'text');
  const kept = isKept ? ['It is stored only until this command ends. Use --out FILE to save it.'] : [];
  return {
    data: result,
    view: (_, width) => ({ text: width === Infinity ? result.text : prettify(result) }),
    notes: ({ dim, yellow }) => [
      ...others.map(({ type }) => dim(`Not shown: ${type}. Use --out FILE or --json to get it.`)),
      ...[...kept, ...(result.meta.notices ?? [])].map((notice) => `${yellow('note')} ${notice}`),
    ],
  };
}

function prettify({ text, data }: ToolResult): string {
  const isNested = typeof data === 'object' && data !== null;
  return isNested && isJsonOf(text, data) ? (JSON.stringify(data, undefined, 2) ?? text) : text;
}
