import { describe, expect, it } from 'vitest';
import { approvalMessage } from './approval-message.ts';
import { makeTool } from './make-tool.test-helper.ts';

const drop = makeTool('db_drop', { risk: 'destructive' });

describe('approvalMessage', () => {
  it('shows the call when the tool has no words of its own', () => {
    expect(approvalMessage(drop, { table: 'users' }, undefined)).toBe(
      'Allow db_drop (destructive) with {"table":"users"}?',
    );
  });

  it('fills in arguments once, and leaves other braces', () => {
    const args = { table: '{force}', force: true, list: [1] };
    expect(approvalMessage(drop, args, 'Drop {table} (force: {force}, {list})? {nothing} {toString} {}')).toBe(
      'Drop {force} (force: true, [1])? {nothing} {toString} {}',
    );
  });

  it('keeps a value from rewriting the question', () => {
    expect(approvalMessage(drop, {}, 'Drop?\nSize: \u001b[8m12')).toBe('Drop?\nSize: \\u001b[8m12');
    expect(approvalMessage(drop, { table: 'x?\r\nNothing will happen \u001b[8m' }, 'Drop {table}?')).toBe(
      'Drop x?\\u000d\\u000aNothing will happen \\u001b[8m?',
    );
  });
});
