import { FairSlots } from '../../../platform/fair-slots.ts';

/** Characters from which a message is large. */
const LARGE = 16_000;

/** All servers of a process share its thread; callers take turns. */
const turns = new FairSlots({ limit: 1 });

/**
 * Does what a message of this length asks for: at once for a small one, in its turn for a large one. Large messages are taken one after the
 * other, each after a pause as long as the one before took: others are answered meanwhile, so that many large messages slow small ones down
 * by half and no more.
 */
export function inTurn(length: number, caller: string, work: () => void): void {
  if (length <= LARGE) return work();
  const ticket = turns.take(caller);
  if (ticket === undefined) throw new TypeError('Any number may wait for its turn.');
  const run = (): void => {
    const start = performance.now();
    try {
      work();
    } finally {
      setTimeout(() => ticket.leave(), Math.ceil(performance.now() - start));
    }
  };
  if (ticket.granted === undefined) run();
  else void ticket.granted.then(run);
}
