const SPACE = 'plugin-quota';
const TWO_DAYS = 2 * 24 * 60 * 60_000;

/** Counts the calls of each caller of a day, in the store of the board: all its processes share the counts. */
export class DailyCounts {
  #store;

  /** @param {() => import('pegboard').BoardStore} store */
  constructor(store) {
    this.#store = store;
  }

  /**
   * The calls that a caller made today.
   * @param {string} caller
   */
  async get(caller) {
    return toCount(await this.#store().space(SPACE).get(keyOf(caller)));
  }

  /**
   * Counts a call unless the caller has reached its limit; tells whether it was counted.
   * @param {string} caller
   * @param {number} limit
   */
  add(caller, limit) {
    const key = keyOf(caller);
    return this.#store().transaction(async (inside) => {
      const calls = toCount(await inside.space(SPACE).get(key));
      if (calls >= limit) return false;
      await inside.space(SPACE).set(key, calls + 1, { ttl: TWO_DAYS });
      return true;
    });
  }

  /** All callers of today with their calls. */
  async list() {
    const records = await this.#store()
      .space(SPACE)
      .entries({ prefix: keyOf('') });
    return records.map(({ key, value }) => ({ caller: key.slice(keyOf('').length), calls: toCount(value) }));
  }
}

/** @param {string} caller */
function keyOf(caller) {
  return `${new Date().toISOString().slice(0, 10)} ${caller}`;
}

/** @param {unknown} value */
function toCount(value) {
  return typeof value === 'number' ? value : 0;
}
