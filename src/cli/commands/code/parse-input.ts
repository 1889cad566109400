import { messageOf } from '../../../tool/texts/message-of.ts';
import { UsageError } from '../../command-line/usage-error.ts';

/** Parses the `--input` of a program. */
export function parseInput(json: string | undefined, command: string): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UsageError(`--input must be JSON: ${messageOf(error)}`, command);
  }
}
