import type { CallGuard, GuardRequest } from '../tool/calls/call-bounds.ts';
import type { ToolError } from '../tool/tool-error.ts';

/**
 * Lets every guard judge a call, in turn, and gives the first error that refuses it.
 *
 * After a new answer of a person all guards judge once more: while the person decided, files and policies may have
 * changed. So a call passes when a whole round goes by without a question.
 */
export async function judgeCall(guards: readonly CallGuard[], request: GuardRequest): Promise<ToolError | undefined> {
  let known: number;
  do {
    known = request.answers.size;
    for (const guard of guards) {
      const refusal = await guard(request);
      if (refusal !== undefined) return refusal;
      // The others judge what a person made of the arguments, and not what they were.
      if (request.asking?.isRevised === true) return undefined;
    }
  } while (request.answers.size > known);
  return undefined;
}
