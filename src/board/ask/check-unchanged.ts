import type { GuardRequest } from '../../tool/calls/call-bounds.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { BoardLock } from '../../features/lock/board-lock.ts';

interface CheckOptions {
  /** The tool that is on the board now under a name. */
  readonly find: (name: string) => Tool | undefined;
  readonly lock: () => Pick<BoardLock, 'changes'>;
}

/**
 * Makes the check of a call that goes on after an answer: the tool must still be the one that was asked about, neither another by now nor
 * held back by the lock.
 */
export function createUnchangedCheck({ find, lock }: CheckOptions): (request: GuardRequest) => ToolError | undefined {
  /** True for each judged call whose tool was on the board at first. */
  const judged = new WeakMap<object, boolean>();
  return ({ tool, answers }) => {
    const { name } = tool.metadata;
    const now = find(name);
    const wasOn = judged.get(answers) ?? now === tool;
    judged.set(answers, wasOn);
    if (now === tool || !wasOn || answers.size === 0) return undefined;
    // A call of a tool that the files no longer have goes on as all that are under way do.
    const isHeldBack = lock().changes.some((change) => change.name === name && change.type !== 'removed');
    if (now === undefined && !isHeldBack) return undefined;
    const message = `The tool "${name}" was changed while this call waited for an answer, so it did not run. Look at the tool again before you call it again.`;
    return new ToolError({ code: 'permission_denied', message, toolName: name, reason: 'changed while it waited' });
  };
}
