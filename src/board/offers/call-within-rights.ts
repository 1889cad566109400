import { clientOf } from '../../tool/calls/call-owner.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Board } from '../board.ts';
import type { FeatureHost } from '../../load/features/feature.ts';

/** A board as far as resources call its tools. */
export type CallingBoard = Pick<Board, 'call' | 'registry'>;

/** Calls a tool for a resource, if the caller may use the tool itself: a right to read an address is none to call what is behind it. */
export function callWithinRights(board: CallingBoard): FeatureHost['call'] {
  return async (name, args, options) => {
    const { mayUse } = clientOf(ToolContext.from(options.context));
    if (mayUse === undefined) return board.call(name, args, options);
    const { registry } = board;
    if (registry.find(name) === undefined) await registry.absent?.arrival(name, 'wait');
    const tool = registry.find(name);
    if (tool !== undefined && mayUse(tool)) return registry.executor.execute(tool, args, options);
    const message = 'Your rights do not include the tool that gives it.';
    return registry.executor.refuse(new ToolError({ code: 'permission_denied', message }), options);
  };
}
