import { describe, expect, it } from 'vitest';
import type { CommandAnswer } from '../../../load/features/feature-command.ts';
import { createTestContext } from '../cli-context.test-helper.ts';
import { printAnswer } from './print-answer.ts';

const ANSWER: CommandAnswer = {
  data: { tools: 2 },
  view: (style, width) => [
    style.bold('Tools'),
    ['a', 'first'],
    ['bcd', 'second'],
    '',
    ['other', width === Infinity ? 'piped' : `${width} wide`],
  ],
  notes: (style) => [style.yellow('note')],
  exitCode: 3,
};

describe('printAnswer', () => {
  it('aligns rows that follow each other, and prints notes on stderr', () => {
    const context = createTestContext();
    expect(printAnswer(ANSWER, false, context)).toBe(3);
    expect(context.printed()).toEqual({
      stdout: 'Tools\na    first\nbcd  second\n\nother  piped\n',
      stderr: 'note\n',
    });
  });

  it('paints and knows the width on a terminal', () => {
    const context = createTestContext({ isTTY: true });
    printAnswer(ANSWER, false, context);
    const { stdout, stderr } = context.printed();
    expect(stdout).toContain('\u001B[1mTools\u001B[22m\n');
    expect(stdout).toContain('other  60 wide\n');
    expect(stderr).toBe('\u001B[33mnote\u001B[39m\n');
  });

  it('prints only the data for programs, or without a view', () => {
    const context = createTestContext();
    expect(printAnswer(ANSWER, true, context)).toBe(3);
    expect(context.printed()).toEqual({ stdout: '{\n  "tools": 2\n}\n', stderr: '' });
    expect(printAnswer({ data: 'plain' }, false, context)).toBe(0);
    expect(context.printed().stdout).toBe('"plain"\n');
  });

  it('prints every byte of a text for programs, and no escape sequences for people', () => {
    const answer = { data: '', view: { text: 'a\u001B[31mb' } };
    const [piped, shown] = [createTestContext(), createTestContext({ isTTY: true })];
    for (const context of [piped, shown]) printAnswer(answer, false, context);
    expect(piped.printed().stdout).toBe('a\u001B[31mb\n');
    expect(shown.printed().stdout).toBe('ab\n');
  });
});
