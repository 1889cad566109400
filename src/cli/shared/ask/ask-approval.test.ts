import { describe, expect, it } from 'vitest';
import { createApproval } from './ask-approval.ts';
import { createTestContext } from '../cli-context.test-helper.ts';

describe('createApproval', () => {
  it('asks nobody without a terminal, or in CI', () => {
    expect(createApproval(createTestContext(), false)).toBeUndefined();
    expect(createApproval(createTestContext({ isTTY: true, env: { CI: 'true' } }), false)).toBeUndefined();
  });

  it('can ask a person at a terminal', () => {
    expect(createApproval(createTestContext({ isTTY: true }), false)).toBeTypeOf('function');
  });
});
