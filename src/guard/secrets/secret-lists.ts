import { Redactor } from './redactor.ts';

export interface SecretList {
  has(secret: string): boolean;
  /** Adds secrets that are found while the files are read. */
  add(secrets: Iterable<string>): void;
  /** Marks the list as in use. */
  use(): void;
  /** Marks the list as unused: no call needs it any more. */
  retire(): void;
}

/**
 * Maximum secrets to remember that no file names any more. They are still removed, because stored outputs and late log lines may contain
 * them.
 */
const MAX_RETIRED = 50;

/** The secrets of a board: those from each reading of its files, and those it receives while it runs. */
export class SecretLists {
  /** Removes every secret that a text may still contain, including ones added later. */
  readonly redactor: Redactor = new Redactor();
  readonly #lists = new Set<ReadonlySet<string>>();
  /** The secrets of each source: the newest, and the previous ones, which running calls may still show. */
  readonly #learnt = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();
  /** The newest last. */
  #retired: readonly string[] = [];

  open(known: Iterable<string>): SecretList {
    const list = new Set(known);
    const use = (): void => {
      this.#lists.add(list);
      this.#renew();
    };
    use();
    return {
      has: (secret) => list.has(secret),
      add: (secrets) => {
        const { size } = list;
        for (const secret of secrets) list.add(secret);
        if (list.size > size) this.#renew();
      },
      use,
      retire: () => {
        if (!this.#lists.delete(list)) return;
        const used = new Set([...this.#lists].flatMap((other) => [...other]));
        const gone = [...this.#retired, ...list].filter((secret) => !used.has(secret));
        // A set keeps the first position of a value, so reversing keeps the newest.
        this.#retired = [...new Set(gone.toReversed())].slice(0, MAX_RETIRED).toReversed();
        this.#renew();
      },
    };
  }

  /** Stores the newest secrets of a source, and keeps the previous ones. */
  learn(source: string, secrets: readonly string[]): void {
    const last = this.#learnt.get(source);
    if (secrets.every((secret) => last?.now.includes(secret))) return;
    this.#learnt.set(source, { now: secrets, before: last?.now ?? [] });
    this.#renew();
  }

  #renew(): void {
    const known = [...this.#lists].flatMap((list) => [...list]);
    const learnt = [...this.#learnt.values()].flatMap(({ now, before }) => [...now, ...before]);
    this.redactor.replace([...this.#retired, ...known, ...learnt]);
  }
}
