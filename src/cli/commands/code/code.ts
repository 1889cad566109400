import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { withClient } from '../../../tool/calls/call-owner.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { createApproval } from '../../ask/ask-approval.ts';
import type { CliContext } from '../../cli-context.ts';
import { useBoard } from '../../board/use-board.ts';
import { defineCommand, FILE_OPTION } from '../../command-line/command.ts';
import { parseTime } from '../../command-line/parse-values.ts';
import { UsageError } from '../../command-line/usage-error.ts';
import { parseInput } from './parse-input.ts';
import { describeResult } from './describe-result.ts';

export const code = defineCommand({
  name: 'code',
  description:
    'Runs a program in TypeScript or JavaScript that calls the tools of the board, as run_code does for models. Prints what it returns; its calls and what it logs go to stderr.',
  arguments: [{ name: 'PROGRAM', description: 'A file, or - to read the program from stdin', required: true }],
  options: {
    ...FILE_OPTION,
    input: { type: 'string', value: 'JSON', description: 'The value of input in the program' },
    timeout: { type: 'string', value: 'TIME', description: 'Give up after so many seconds, or 500ms, 2m. Default: 2m' },
    id: { type: 'string', value: 'ID', description: 'Name the program: run again under this name, it goes on' },
    pause: { type: 'boolean', description: 'Stop while calls wait for a yes; go on with `pegboard code resume`' },
    yes: { type: 'boolean', short: 'y', description: 'Approve its calls where the policy asks' },
    quiet: { type: 'boolean', short: 'q', description: 'Do not show its calls' },
  },
  examples: [
    ['pegboard code report.ts', 'a program in a file'],
    [`echo 'return await tools.git_log({ limit: 5 })' | pegboard code -`, 'from another program'],
    ['pegboard code report.ts --pause', 'stop while calls wait for a yes'],
    [`pegboard code report.ts --input '{"days": 7}'`, 'with a value that it reads as input'],
  ],
  async run({ values, positionals: [file = ''], context }) {
    const program = await readProgram(file, context);
    const input = parseInput(values.input, 'code');
    const time = parseTime(values.timeout, '--timeout', 'code');
    const { runCode } = await import('../../../code/run-code.ts');
    const options = { context, servers: 'cached', approve: createApproval(context, values.yes) } as const;
    return useBoard(values.file, options, async (board) => {
      const result = await runCode(board, program, {
        input,
        signal: context.signal,
        context: withClient({}, { user: '', session: '', via: 'terminal' }),
        pause: values.pause,
        ...(values.id === undefined ? {} : { id: values.id }),
        ...(time === undefined ? {} : { limits: { time } }),
      });
      return describeResult(result, { name: file, isQuiet: values.quiet });
    });
  },
});

async function readProgram(file: string, { stdin, cwd }: CliContext): Promise<string> {
  if (file === '-') return readText(stdin);
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`The program cannot be read: ${messageOf(error)}`, 'code');
  }
}
