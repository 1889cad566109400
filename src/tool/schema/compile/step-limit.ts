/** Maximum references to follow for one value. A schema can require any number: two at each level double. */
const MAX_STEPS = 1_000_000;

/** Limits the time that a schema can make a check, a fill or a repair take. */
export interface StepLimit {
  /** Resets the count for the next value. */
  start(): void;
  /** Counts one step. Throws when there are too many. */
  step(): void;
}

export function createStepLimit(most: number = MAX_STEPS): StepLimit {
  let steps = 0;
  return {
    start() {
      steps = 0;
    },
    step() {
      if (++steps > most) throw new Error(`the schema takes more than ${most} steps`);
    },
  };
}
