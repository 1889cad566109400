import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolCall } from '../core/tool-call.ts';
import { ToolError } from '../core/tool-error.ts';
import { ToolResult } from '../core/tool-result.ts';
import type { CallNames } from './read-call.ts';

/** How one provider's calls are written, read and answered. */
export interface CallFormat {
  /** The provider's JSON for calls; `args` is what stands where arguments stand. */
  readonly write: (calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]) => unknown;
  readonly parse: (response: unknown, exported?: CallNames) => ToolCall[];
  readonly answer: (calls: readonly ToolCall[], results: readonly ToolResult[]) => unknown;
}

const JUNK = [
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

/** What every provider's reader and answerer must do alike. */
export function callsContract({ write, parse, answer }: CallFormat): void {
  test('reads parallel calls in order', () => {
    const response = write([
      { id: 'one', name: 'a', args: { x: 1 } },
      { id: 'two', name: 'b', args: {} },
      { id: 'three', name: 'a', args: { x: 2 } },
    ]);
    expect(parse(response)).toEqual([
      { id: 'one', name: 'a', input: { x: 1 } },
      { id: 'two', name: 'b', input: {} },
      { id: 'three', name: 'a', input: { x: 2 } },
    ]);
  });

  test('maps names and arguments back, and leaves unknown names alone', () => {
    const exported: CallNames = {
      restore: (name, input) =>
        name === 'fs_read' ? { name: 'fs.read', input: { restored: input } } : { name, input },
    };
    const response = write([
      { id: 'one', name: 'fs_read', args: { x: 1 } },
      { id: 'two', name: 'who', args: {} },
    ]);
    expect(parse(response, exported)).toEqual([
      { id: 'one', name: 'fs.read', input: { restored: { x: 1 } } },
      { id: 'two', name: 'who', input: {} },
    ]);
  });

  test('takes missing arguments for none', () => {
    expect(parse(write([{ id: 'one', name: 'a', args: undefined }]))).toEqual([{ id: 'one', name: 'a', input: {} }]);
  });

  test('marks arguments that are no object, and still reads the call after them', () => {
    const response = write([
      { id: 'one', name: 'a', args: [1, 2] },
      { id: 'two', name: 'b', args: {} },
    ]);
    expect(parse(response)).toEqual([
      {
        id: 'one',
        name: 'a',
        input: undefined,
        malformed:
          'Arguments of "a" (call "one") are an array, not an object. Send one JSON object, for example {"key": "value"}.',
      },
      { id: 'two', name: 'b', input: {} },
    ]);
  });

  test('gives no calls for junk, without throwing', () => {
    for (const junk of JUNK) expect(parse(junk)).toEqual([]);
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (junk, args) => {
        expect(Array.isArray(parse(junk))).toBe(true);
        expect(parse(write([{ id: 'one', name: 'a', args }]))).toHaveLength(1);
      }),
    );
  });

  test('throws when calls and results differ in number', () => {
    const calls = [{ id: 'one', name: 'a', input: {} }];
    const message = '1 calls but 2 results. Give one result per call, in the order of the calls.';
    let thrown: unknown;
    try {
      answer(calls, [ToolResult.text('a'), ToolResult.text('b')]);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ToolError);
    expect(thrown).toMatchObject({ code: 'invalid_arguments', message });
  });
}
