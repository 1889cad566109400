import { Cancellation } from '../../tool/calls/cancellation.ts';
import { CANCELLATION, type ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';

/** A context for work that must end. */
interface BoundedContext {
  readonly context: ToolContext;
  /** Ends the watch: the work is over. */
  end(): void;
}

/** The factor by which progress reports may extend the time limit. */
const MOST_TIMES = 10;

/** The same context with a deadline, which progress puts off. `who` is named in the error of one that was late. */
export function withDeadline(context: ToolContext, timeout: number, who: string): BoundedContext {
  const cancellation = new Cancellation();
  const outer = context[CANCELLATION];
  const give = (): void => {
    const { reason } = outer;
    cancellation.abort(reason instanceof Error ? reason : new Error('The caller gave up.'));
  };
  const late = (): void => {
    const message = `${who} did not answer within ${timeout / 1000} s.`;
    cancellation.abort(new ToolError({ code: 'timeout', message }));
  };
  let timer = setTimeout(late, timeout);
  outer.addEventListener('abort', give, { once: true });
  if (outer.aborted) give();
  const last = performance.now() + timeout * MOST_TIMES;
  let isOver = false;
  const putOff = (): void => {
    if (isOver) return;
    clearTimeout(timer);
    timer = setTimeout(late, Math.max(0, Math.min(timeout, last - performance.now())));
  };
  const bounded = context.withRuntime({
    callId: context.callId,
    log: context.log,
    get signal() {
      return cancellation.toSignal();
    },
    [CANCELLATION]: cancellation,
    progress: (done, total, message) => context.progress(done, total, message),
    putOffTimeout: putOff,
    untimed: async (work) => {
      clearTimeout(timer);
      return Promise.resolve(work).finally(putOff);
    },
    keepOnEnd: () => {},
  });
  return {
    context: bounded,
    end: () => {
      isOver = true;
      clearTimeout(timer);
      outer.removeEventListener('abort', give);
    },
  };
}
