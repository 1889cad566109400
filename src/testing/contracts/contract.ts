import assert from 'node:assert/strict';
import { describeValue } from '../../tool/texts/describe-value.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError, type ToolErrorCode } from '../../tool/tool-error.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/**
 * One check of a contract: its name, and a function that throws if something is wrong. Any test runner can run it.
 *
 * @example
 * import { test } from 'node:test';
 * for (const { name, check } of embedderContract({ open: () => createTestEmbedder() })) test(name, check);
 */
export interface ContractCheck {
  readonly name: string;
  readonly check: () => Promise<void>;
}

/** Creates a check. */
export function createCheck(name: string, work: () => void | Promise<void>): ContractCheck {
  return { name, check: async () => work() };
}

/** Returns a function that creates checks: each gets its own resource, closed afterwards. */
export function createChecks<T>(
  open: () => T | Promise<T>,
  close: (resource: T) => Promise<unknown>,
): (name: string, work: (resource: T) => Promise<void>) => ContractCheck {
  return (name, work) =>
    createCheck(name, async () => {
      const resource = await open();
      try {
        await work(resource);
      } finally {
        await close(resource);
      }
    });
}

/** Throws unless both are equal; `undefined` entries count as missing. */
export function expectSame(actual: unknown, expected: unknown, what?: string): void {
  assert.deepStrictEqual(withoutUndefined(actual), withoutUndefined(expected), what);
}

export function expectTrue(condition: boolean, what: string): asserts condition {
  assert.ok(condition, what);
}

export interface ExpectedFailure {
  readonly code: ToolErrorCode;
  /** Texts that its message must contain: the value at fault, and the valid ones. */
  readonly says?: readonly string[];
}

/** Throws unless the work fails with a `ToolError` of this code whose message contains all these texts. */
export async function expectFailure(work: () => Promise<unknown>, expected: ExpectedFailure): Promise<void> {
  let thrown: unknown;
  try {
    await work();
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown !== undefined, `should fail with ${expected.code}, and did not fail`);
  assert.ok(thrown instanceof ToolError, `should fail with a ToolError, and failed with: ${describeValue(thrown)}`);
  assert.equal(thrown.code, expected.code, `the code of: ${thrown.message}`);
  for (const text of expected.says ?? []) {
    assert.ok(thrown.message.includes(text), `the message should have ${JSON.stringify(text)}: ${thrown.message}`);
  }
}

/** Throws unless work with an aborted signal rejects with the signal's reason. */
export async function expectStopped(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const said = await work(AbortSignal.abort(new Error('the caller has gone'))).then(
    () => 'it went on',
    (error: unknown) => messageOf(error),
  );
  assert.ok(said.includes('the caller has gone'), `should reject with the reason of its signal; ${said}`);
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([key, part]) => [key, withoutUndefined(part)]),
  );
}
