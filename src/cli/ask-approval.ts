import type { OpenBoardOptions } from '../config/open-board.ts';
import { canAsk, type CliContext } from './cli-context.ts';

type Approve = NonNullable<OpenBoardOptions['approve']>;

/** Who answers when a policy wants a yes: `--yes`, the person at the terminal, or nobody. */
export function createApproval(context: CliContext, isYes: boolean): Approve | undefined {
  if (isYes) return () => true;
  if (!canAsk(context)) return undefined;
  return async (request) => {
    const { confirm } = await import('@clack/prompts');
    const answer = await confirm({
      message: request.message,
      initialValue: false,
      input: context.stdin,
      // What the tool answers goes to stdout, and nothing else.
      output: context.stderr,
      signal: AbortSignal.any([context.signal, request.signal]),
    });
    return answer === true;
  };
}
