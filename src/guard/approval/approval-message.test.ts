import { describe, expect, it } from 'vitest';
import { approvalMessage, type AskedCall } from './approval-message.ts';

function ask(input: Readonly<Record<string, unknown>>, template?: string): string {
  const call: AskedCall = {
    tool: 'db_drop',
    risk: 'destructive',
    input,
    declared: ['table', 'force', 'note'],
    template,
  };
  return approvalMessage(call);
}

describe('approvalMessage', () => {
  it('shows the call when the tool has no text of its own', () => {
    expect(ask({ force: true, extra: [1], table: 'users' })).toBe(
      'Allow db_drop (destructive) with these arguments?\n  table: "users"\n  force: true\n  extra (not in its schema): [1]',
    );
    expect(ask({})).toBe('Allow db_drop (destructive) without arguments?');
  });

  it('shows complete values, wherever the harmful part is', () => {
    const note = `${'harmless '.repeat(300)}; rm -rf / ;${' harmless'.repeat(300)}`;
    const filler = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`a${index}`, index]));
    expect(
      ask({ ...filler, note, table: 'users' })
        .split('\n')
        .slice(1, 3),
    ).toEqual(['  table: "users"', `  note: "${note}"`]);
  });

  it('fills in arguments once, in quotes, and keeps other braces', () => {
    const args = { table: '{force}', force: true, list: [1] };
    expect(ask(args, 'Drop {table} (force: {force}, {list})? {nothing} {toString} {}')).toBe(
      'db_drop (destructive): Drop "{force}" (force: true, [1])? {nothing} {toString} {}',
    );
    expect(ask({ table: 'a', note: 'b' }, `Drop "{table}" for '{note}'?`)).toBe(
      'db_drop (destructive): Drop "a" for "b"?',
    );
  });

  it('lists the arguments that the tool’s own text does not mention', () => {
    expect(ask({ extra: 1, force: true, table: 'users' }, 'Drop {table}?')).toBe(
      'db_drop (destructive): Drop "users"?\n  force: true\n  extra (not in its schema): 1',
    );
    const table = 'x'.repeat(201);
    expect(ask({ table }, 'Drop {table}?')).toBe(`db_drop (destructive): Drop table (below)?\n  table: "${table}"`);
  });

  it('prevents a value from rewriting the question', () => {
    expect(ask({}, 'Drop?\nSize: \u001b[8m12')).toBe('db_drop (destructive): Drop?\nSize: \\u001b[8m12');
    expect(ask({ table: 'x?\r\nNothing will happen \u001b[8m' }, 'Drop {table}?')).toBe(
      String.raw`db_drop (destructive): Drop "x?\r\nNothing will happen \u001b[8m"?`,
    );
  });

  it('states clearly what is omitted, and keeps short values complete', () => {
    const note = `${'a'.repeat(30_000)}HARM${'b'.repeat(30_000)}`;
    const lines = ask({ note, table: 'users', force: true }).split('\n');
    const warning =
      'NOT ALL OF IT IS SHOWN: 40,028 of 60,031 characters are left out. The inspector shows the arguments in full. Deny the call unless you know what they are.';
    expect(lines).toHaveLength(6);
    expect([lines[1], lines[2], lines[3], lines[5]]).toEqual([warning, '  table: "users"', '  force: true', warning]);
    expect(lines[4]).toMatch(/^ {2}note: "a{9000,} \[40,028 characters are NOT SHOWN here\] b{9000,}"$/);
  });

  it('counts arguments when there are too many to show', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`filler_${index}`, 'x']));
    const lines = ask({ ...many, table: 'users' }).split('\n');
    expect(lines[2]).toBe('  table: "users"');
    expect(lines.at(-2)).toMatch(/^ {2}\[[\d,]+ more arguments are NOT SHOWN\]$/);
    expect(lines.at(-1)).toMatch(/^NOT ALL OF IT IS SHOWN: [\d,]+ of [\d,]+ characters are left out\./);
  });
});
