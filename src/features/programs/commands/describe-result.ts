import type { CodeResult } from '../../../code/run-code.ts';
import type { CommandAnswer } from '../../../cli/shared/command.ts';
import type { TextStyle } from '../../../cli/shared/print/style.ts';

/** Describes the result of a program: its value on stdout, its calls and log on stderr. `name` is the heading of the calls. */
export function describeResult(
  result: CodeResult,
  { name, isQuiet }: { readonly name: string; readonly isQuiet: boolean },
): CommandAnswer {
  const { ok, logs, calls, id } = result;
  const rest = result.ok ? { value: result.value } : { error: result.error, waiting: result.waiting };
  return {
    data: { ok, id, ...rest, logs, calls },
    view: result.ok && result.value !== undefined ? { text: show(result.value) } : [],
    notes: (style) => [
      ...logs.map((line) => style.dim(line)),
      ...(isQuiet ? [] : drawCalls(name, result, style)),
      ...(result.ok ? [] : describeFailure(result, style)),
    ],
    exitCode: ok ? 0 : 1,
  };
}

function describeFailure({ id, error, waiting }: CodeResult & { readonly ok: false }, style: TextStyle): string[] {
  if (waiting === undefined) return [`${style.red(error.code)} ${error.message}`];
  return [
    ...waiting.map(
      ({ tool, args, approvalId }) =>
        `waits: ${tool} ${JSON.stringify(args)}\n  pegboard approvals allow ${approvalId}`,
    ),
    `Then: pegboard code resume ${id}`,
  ];
}

/** Draws a program with its calls as a tree. */
export function drawCalls(name: string, { ok, calls }: Pick<CodeResult, 'ok' | 'calls'>, style: TextStyle): string[] {
  const title = name === '-' ? 'program' : name;
  const count = calls.length === 1 ? '1 call' : `${calls.length} calls`;
  const ordered = calls.toSorted((a, b) => a.number - b.number);
  const widest = Math.max(0, ...ordered.map(({ tool }) => tool.length));
  return [
    `${ok ? style.green('●') : style.red('●')} ${title} ${style.dim(`(${count})`)}`,
    ...ordered.map(({ tool, outcome, durationMs }, place) => {
      const branch = style.dim(place === ordered.length - 1 ? '└─' : '├─');
      const status = outcome === 'ok' ? style.green('ok') : style.red(outcome);
      return `${branch} ${tool.padEnd(widest)}  ${status} ${style.dim(`${durationMs} ms`)}`;
    }),
  ];
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
}
