import type { JsonRpcId } from './json-rpc.ts';

const FEW = 16;

/**
 * Requests in progress by id: a map that is filled and emptied again with each request.
 *
 * A `Map` allocates a new table whenever its last entry is deleted, and each table keeps the next one alive once the first is old: the
 * memory of every request would stay until the next full collection.
 */
export class FewMap<V extends object> {
  readonly #ids: (JsonRpcId | undefined)[] = Array.from({ length: FEW });
  readonly #values: (V | undefined)[] = Array.from({ length: FEW });
  readonly #more = new Map<JsonRpcId, V>();
  #few = 0;

  get size(): number {
    return this.#few + this.#more.size;
  }

  get(id: JsonRpcId): V | undefined {
    const place = this.#ids.indexOf(id);
    return place === -1 ? this.#more.get(id) : this.#values[place];
  }

  /** The id must not be in use. */
  add(id: JsonRpcId, value: V): void {
    const place = this.#ids.indexOf(undefined);
    if (place === -1) this.#more.set(id, value);
    else {
      this.#ids[place] = id;
      this.#values[place] = value;
      this.#few++;
    }
  }

  delete(id: JsonRpcId): void {
    const place = this.#ids.indexOf(id);
    if (place === -1) this.#more.delete(id);
    else {
      this.#ids[place] = undefined;
      this.#values[place] = undefined;
      this.#few--;
    }
  }

  /** A copy: later changes do not affect it. */
  values(): V[] {
    return [...this.#values.filter((value) => value !== undefined), ...this.#more.values()];
  }
}
