import type { CodeResult } from '../../../code/run-code.ts';
import type { Style } from '../../print/style.ts';

/** A program with its calls below it, as a tree. */
export function drawCalls(name: string, { ok, calls }: Pick<CodeResult, 'ok' | 'calls'>, style: Style): string[] {
  const title = name === '-' ? 'program' : name;
  const count = calls.length === 1 ? '1 call' : `${calls.length} calls`;
  const ordered = calls.toSorted((a, b) => a.number - b.number);
  const widest = Math.max(0, ...ordered.map(({ tool }) => tool.length));
  return [
    `${ok ? style.green('●') : style.red('●')} ${title} ${style.dim(`(${count})`)}`,
    ...ordered.map(({ tool, outcome, durationMs }, place) => {
      const branch = style.dim(place === ordered.length - 1 ? '└─' : '├─');
      const told = outcome === 'ok' ? style.green('ok') : style.red(outcome);
      return `${branch} ${tool.padEnd(widest)}  ${told} ${style.dim(`${durationMs} ms`)}`;
    }),
  ];
}
