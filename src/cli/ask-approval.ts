import type { OpenBoardOptions } from '../config/open-board.ts';
import { canAsk, type CliContext, printLine } from './cli-context.ts';
import { promptOutput } from './prompt-output.ts';

type Approve = NonNullable<OpenBoardOptions['approve']>;
type ApproveChanges = NonNullable<OpenBoardOptions['approveChanges']>;

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
      output: promptOutput(context.stderr),
      signal: AbortSignal.any([context.signal, request.signal]),
    });
    if (request.signal.aborted && !context.signal.aborted)
      printLine(context.stderr, 'No longer asked: it was answered elsewhere, or the call ended.');
    return answer === true;
  };
}

/** Who looks at tools that are not what the lock says: the person at the terminal, or nobody. */
export function createChangeApproval(context: CliContext): ApproveChanges | undefined {
  if (!canAsk(context)) return undefined;
  return async (changes) => {
    const [{ confirm }, { describeChange }] = await Promise.all([
      import('@clack/prompts'),
      import('../config/lock-gate.ts'),
    ]);
    for (const change of changes) printLine(context.stderr, describeChange(change));
    const answer = await confirm({
      message: `Use ${changes.length === 1 ? 'this tool' : `these ${changes.length} tools`} from now on?`,
      initialValue: false,
      input: context.stdin,
      output: promptOutput(context.stderr),
      signal: context.signal,
    });
    return answer === true;
  };
}
