import { InterruptedAnswerError } from './retry-model.ts';

/** Timers take no more; a limit above it is none. */
const MAX_TIMER = 2_147_483_647;

/** What work that must not fall silent is given. */
interface SilenceWatch {
  /** Aborts when it has. */
  readonly signal: AbortSignal;
  /** Says that there was a sign of life. */
  readonly heard: () => void;
}

/** Does the work, and ends it when nothing is heard of it for so many milliseconds. */
export async function limitSilence<T>(limit: number, work: (watch: SilenceWatch) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const silent = Promise.withResolvers<never>();
  const end = (): void => {
    const error = new InterruptedAnswerError(`The provider said nothing for ${limit / 1_000} seconds.`);
    silent.reject(error);
    stop.abort(error);
  };
  const timer = limit > MAX_TIMER ? undefined : setTimeout(end, limit);
  try {
    return await Promise.race([work({ signal: stop.signal, heard: () => void timer?.refresh() }), silent.promise]);
  } finally {
    clearTimeout(timer);
  }
}
