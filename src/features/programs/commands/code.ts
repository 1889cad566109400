import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { withClient } from '../../../tool/calls/call-owner.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { createApproval } from '../../../cli/shared/ask/ask-approval.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { defineCommand, flag, valueOption } from '../../../cli/shared/command.ts';
import { parseTime } from '../../../cli/shared/parse-values.ts';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { describeResult } from './describe-result.ts';

export const code = defineCommand({
  name: 'code',
  description:
    'Runs a TypeScript or JavaScript program that calls the tools of the board, as run_code does for models. Prints the returned value; calls and logs go to stderr.',
  arguments: [{ name: 'PROGRAM', description: 'A file, or - to read the program from stdin', required: true }],
  options: {
    input: valueOption('JSON', 'The value of `input` in the program'),
    timeout: valueOption('TIME', 'Give up after this time: seconds, or 500ms, 2m (default: 2m)'),
    id: valueOption('ID', 'An id for the program: running it again with the id resumes it'),
    pause: flag('Stop when calls wait for approval; resume with `pegboard code resume`'),
    yes: flag('Approve its calls if the policy asks', 'y'),
    quiet: flag('Do not show its calls', 'q'),
  },
  examples: [
    ['pegboard code report.ts', 'a program in a file'],
    [`echo 'return await tools.git_log({ limit: 5 })' | pegboard code -`, 'from another program'],
    ['pegboard code report.ts --pause', 'stop when calls wait for approval'],
    [`pegboard code report.ts --input '{"days": 7}'`, 'with a value for `input`'],
  ],
  async parse({ values, positionals: [file = ''], context }) {
    const program = await readProgram(file, context);
    const input = parseInput(values.input, 'code');
    const time = parseTime(values.timeout, '--timeout', 'code');
    return { program, input, time };
  },
  board: ({ values, context }) => ({ servers: 'cached', approve: createApproval(context, values.yes) }),
  async run({ values, positionals: [file = ''], parsed: { program, input, time }, context, board }) {
    const { runCode } = await import('../../../code/run-code.ts');
    const result = await runCode(board, program, {
      input,
      signal: context.signal,
      context: withClient({}, { user: '', session: '', via: 'terminal' }),
      pause: values.pause,
      ...(values.id === undefined ? {} : { id: values.id }),
      ...(time === undefined ? {} : { limits: { time } }),
    });
    return describeResult(result, { name: file, isQuiet: values.quiet });
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

export const codeResume = defineCommand({
  name: 'code resume',
  description:
    'Resumes a program of the board user that waited for approval or whose process was killed. Completed calls are not repeated. Prints the returned value.',
  arguments: [{ name: 'ID', description: 'The id from `pegboard code list`', required: true }],
  options: {
    pause: flag('Stop when calls wait for approval'),
    yes: flag('Approve its calls if the policy asks', 'y'),
    quiet: flag('Do not show its calls', 'q'),
  },
  examples: [['pegboard code resume report-7', 'after its calls were approved']],
  board: ({ values, context }) => ({ servers: 'cached', approve: createApproval(context, values.yes) }),
  async run({ values, positionals: [id = ''], context, board }) {
    const { resumeCode } = await import('../../../code/run-code.ts');
    const result = await resumeCode(board, id, {
      signal: context.signal,
      context: withClient({}, { user: '', session: '', via: 'terminal' }),
      pause: values.pause,
    });
    return describeResult(result, { name: id, isQuiet: values.quiet });
  },
});

/** Parses the `--input` of a program. */
export function parseInput(json: string | undefined, command: string): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UsageError(`--input must be JSON: ${messageOf(error)}`, command);
  }
}
