import { messageOf } from '../../../tool/texts/message-of.ts';
import { UsageError } from '../../command-line/usage-error.ts';

/** The value of `input` in a program, from what a person typed. */
export function parseInput(json: string | undefined, command: string): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UsageError(`--input must be JSON: ${messageOf(error)}`, command);
  }
}
