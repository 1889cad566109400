import type { OpenFeature } from '../../load/features/open-feature.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { BoardLock } from './board-lock.ts';

interface CheckOptions {
  /** True for each judged call whose tool was on the board at first. */
  readonly judged: WeakMap<object, boolean>;
  /** The tool that is on the board now under a name. */
  readonly find: (name: string) => Tool | undefined;
  readonly lock: () => Pick<BoardLock, 'changes'>;
}

/**
 * Guards calls that resume after an answer: the tool must still be the one that was asked about, neither another by now nor held back by the
 * lock.
 */
export function guardUnchanged({ judged, find, lock }: CheckOptions): Required<Pick<OpenFeature, 'judging' | 'guard'>> {
  return {
    judging: ({ tool, answers }) => {
      if (!judged.has(answers)) judged.set(answers, find(tool.metadata.name) === tool);
    },
    guard: ({ tool, answers }) => {
      const { name } = tool.metadata;
      const now = find(name);
      if (now === tool || judged.get(answers) !== true || answers.size === 0) return undefined;
      // A call of a tool that the files no longer have goes on as all that are under way do.
      const isHeldBack = lock().changes.some((change) => change.name === name && change.type !== 'removed');
      if (now === undefined && !isHeldBack) return undefined;
      const message = `The tool "${name}" was changed while this call waited for an answer, so it did not run. Look at the tool again before you call it again.`;
      return new ToolError({ code: 'permission_denied', message, toolName: name, reason: 'changed while it waited' });
    },
  };
}
