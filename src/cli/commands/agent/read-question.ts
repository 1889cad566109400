import { text } from 'node:stream/consumers';
import type { CliContext } from '../../cli-context.ts';
import { UsageError } from '../../command-line/usage-error.ts';

/** What to ask: the option's text, or all of stdin. */
export async function readQuestion(given: string | undefined, { stdin }: CliContext): Promise<string> {
  const question = given === undefined || given === '-' ? (stdin.isTTY === true ? '' : await text(stdin)) : given;
  if (question.trim() === '')
    throw new UsageError('There is no question. Give one: --once "What can you do?"', 'agent');
  return question;
}
