/** The most references that are followed for one value. A schema can ask for any number: two at each level double. */
const MAX_STEPS = 1_000_000;

/** Bounds how long a schema can keep a check, a fill or a mending busy. */
export interface StepLimit {
  /** Begins anew, for the next value. */
  start(): void;
  /** Counts one step, and throws when there were too many. */
  step(): void;
}

/** Makes a limit that has counted nothing. */
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
