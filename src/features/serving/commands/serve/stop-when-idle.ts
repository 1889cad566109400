import { parseDuration } from '../../../../kinds/parse-units.ts';
import type { Serving } from './serving.ts';
import type { SharedFronts } from './shared-fronts.ts';

/** Milliseconds without a front after which the board ends. */
const IDLE = 10 * 60_000;
/** Milliseconds for the front that started the board to attach. */
const FIRST = 30_000;
/** Milliseconds between two looks at work that still runs. */
const GLANCE = 1_000;

interface IdleOptions {
  readonly fronts: SharedFronts;
  readonly stop: () => void;
  /** Returns true when a newer version serves the same files: no front will come to this board again. */
  readonly hasSuccessor: () => boolean;
}

/** Calls `stop` when no front was attached for a while and nothing runs. */
export function stopWhenIdle(
  { runningTasks, section }: Serving,
  { fronts, stop, hasSuccessor }: IdleOptions,
): { end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const timeLeft = (): number => {
    const { idle } = section();
    const time = idle === undefined ? IDLE : parseDuration(idle);
    // The front that started the board may have been killed meanwhile.
    if (!fronts.hadAny) return FIRST;
    return hasSuccessor() ? 0 : time;
  };
  const arm = (): void => {
    clearTimeout(timer);
    if (fronts.size > 0) return;
    timer = setTimeout(end, timeLeft());
  };
  const end = (): void => {
    if (runningTasks() === 0) return stop();
    timer = setTimeout(end, GLANCE);
  };
  fronts.onChange = arm;
  arm();
  return { end: () => clearTimeout(timer) };
}
