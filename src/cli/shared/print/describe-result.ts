import { isJsonOf } from '../../../tool/json.ts';
import type { ToolResult } from '../../../tool/tool-result.ts';
import type { CommandAnswer } from '../command.ts';

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
