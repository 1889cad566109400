import type { CodeResult } from '../../../code/run-code.ts';
import { type CliContext, printJson, printLine, printText } from '../../cli-context.ts';
import { createStyle } from '../../print/style.ts';
import { drawCalls } from './draw-calls.ts';

/** How the result of a program is printed. */
interface ResultPrint {
  /** What the program is called above its calls. */
  readonly name: string;
  readonly isQuiet: boolean;
  readonly json: boolean;
  readonly context: CliContext;
}

/** Prints what a program returned on stdout, its calls and what it logged on stderr. Gives the exit code. */
export function printResult(result: CodeResult, { name, isQuiet, json, context }: ResultPrint): number {
  const { logs, calls, id } = result;
  if (json) {
    const told = result.ok ? { value: result.value } : { error: result.error, waiting: result.waiting };
    printJson(context, { ok: result.ok, id, ...told, logs, calls });
    return result.ok ? 0 : 1;
  }
  const style = createStyle(context.stderr, context.env);
  for (const line of logs) printLine(context.stderr, style.dim(line));
  if (!isQuiet) for (const line of drawCalls(name, result, style)) printLine(context.stderr, line);
  if (result.ok) {
    if (result.value !== undefined) printText(context.stdout, show(result.value));
    return 0;
  }
  if (result.waiting === undefined)
    printLine(context.stderr, `${style.red(result.error.code)} ${result.error.message}`);
  else {
    for (const { tool, args, approvalId } of result.waiting)
      printLine(context.stderr, `waits: ${tool} ${JSON.stringify(args)}\n  pegboard approvals allow ${approvalId}`);
    printLine(context.stderr, `Then: pegboard code resume ${id}`);
  }
  return 1;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
}
