import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ToolError } from '../tool/tool-error.ts';
import { ToolResult } from '../tool/tool-result.ts';
import { callFormatContract, type CallFormatSubject } from '../testing/contracts/call-format-contract.ts';
import { testContract } from '../testing/contracts/test-contract.test-helper.ts';

/** The contract for reading and answering calls that every provider's exporter must fulfil. */
export function callsContract({ write, parse, answer }: CallFormatSubject): void {
  testContract(callFormatContract({ write, parse, answer }));

  test('explains arguments that are not an object', () => {
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

  test('finds no calls in anything else', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (junk, args) => {
        expect(Array.isArray(parse(junk))).toBe(true);
        expect(parse(write([{ id: 'one', name: 'a', args }]))).toHaveLength(1);
      }),
    );
  });

  test('explains that calls and results differ in number', () => {
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
