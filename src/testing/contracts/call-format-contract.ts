import type { ToolCall } from '../../tool/tool.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { CallNames } from '../../export/calls.ts';
import { type ContractCheck, createCheck, expectFailure, expectSame, expectTrue } from './contract.ts';

/** The call format of a provider to test. */
export interface CallFormatSubject {
  /** Writes the provider's JSON for calls, with `args` as the arguments. */
  readonly write: (calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]) => unknown;
  readonly parse: (response: unknown, exported?: CallNames) => readonly ToolCall[];
  /** Writes the provider's JSON for the results of calls. */
  readonly answer: (calls: readonly ToolCall[], results: readonly ToolResult[]) => unknown;
}

const JUNK: readonly unknown[] = [
  undefined,
  null,
  5,
  'text',
  true,
  [],
  {},
  [null, 5, 'x', {}],
  { choices: 5 },
  { content: 'x' },
  { parts: [{}] },
  { output: [{ type: 'message' }] },
];

/** Returns the checks that the parser and writer of every provider must pass. */
export function callFormatContract({ write, parse, answer }: CallFormatSubject): ContractCheck[] {
  return [
    createCheck('reads parallel calls in order', () => {
      const response = write([
        { id: 'one', name: 'a', args: { x: 1 } },
        { id: 'two', name: 'b', args: {} },
        { id: 'three', name: 'a', args: { x: 2 } },
      ]);
      expectSame(parse(response), [
        { id: 'one', name: 'a', input: { x: 1 } },
        { id: 'two', name: 'b', input: {} },
        { id: 'three', name: 'a', input: { x: 2 } },
      ]);
    }),
    createCheck('maps names and arguments back, and keeps unknown names', () => {
      const exported: CallNames = {
        restore: (name, input) =>
          name === 'fs_read' ? { name: 'fs.read', input: { restored: input } } : { name, input },
      };
      const response = write([
        { id: 'one', name: 'fs_read', args: { x: 1 } },
        { id: 'two', name: 'who', args: {} },
      ]);
      expectSame(parse(response, exported), [
        { id: 'one', name: 'fs.read', input: { restored: { x: 1 } } },
        { id: 'two', name: 'who', input: {} },
      ]);
    }),
    createCheck('treats missing arguments as none', () => {
      expectSame(parse(write([{ id: 'one', name: 'a', args: undefined }])), [{ id: 'one', name: 'a', input: {} }]);
    }),
    createCheck('marks arguments that are not an object, and still reads the next call', () => {
      const calls = parse(
        write([
          { id: 'one', name: 'a', args: [1, 2] },
          { id: 'two', name: 'b', args: {} },
        ]),
      );
      expectSame([calls[0]?.id, calls[0]?.name, calls[0]?.input], ['one', 'a', undefined]);
      expectTrue(calls[0]?.malformed?.includes('"a"') === true, `says which tool: ${calls[0]?.malformed}`);
      expectSame(calls[1], { id: 'two', name: 'b', input: {} });
    }),
    createCheck('returns no calls for junk, without throwing', () => {
      for (const junk of JUNK) {
        expectSame(parse(junk), []);
        expectSame(parse(write([{ id: 'one', name: 'a', args: junk }])).length, 1);
      }
    }),
    createCheck('refuses to answer when calls and results differ in number', () =>
      expectFailure(
        async () => answer([{ id: 'one', name: 'a', input: {} }], [ToolResult.text('a'), ToolResult.text('b')]),
        { code: 'invalid_arguments', says: ['1', '2'] },
      ),
    ),
  ];
}
