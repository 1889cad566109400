import { secretForms } from './secret-forms.ts';

/** The secrets of one reading of the files. */
export interface SecretList {
  /** Every form of them, and of what the board has learnt since; the longest first. The array stays the same one. */
  readonly forms: readonly string[];
  /** Counts the list among those that are in use; it is when it is opened. */
  use(): void;
  /** Ends that: no call needs the list any more. */
  retire(): void;
}

/** Secrets that no file names any more are still taken out: outputs that are kept, and late log lines, may hold them. */
const MAX_RETIRED = 50;

interface Entry {
  readonly known: readonly string[];
  readonly forms: string[];
}

/** Secrets of a board: those of each reading of its files, and those it is given while it runs. */
export class SecretLists {
  readonly #lists = new Set<Entry>();
  /** By who gave them: the newest, and those before, which calls in flight may still show. */
  readonly #learnt = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();
  /** The newest last. */
  #retired: readonly string[] = [];
  #all: readonly string[] | undefined;

  /** Opens the list of one reading of the files. */
  open(known: Iterable<string>): SecretList {
    const entry: Entry = { known: [...known], forms: [] };
    const use = (): void => {
      this.#lists.add(entry);
      this.#all = undefined;
      this.#fill(entry);
    };
    use();
    return {
      forms: entry.forms,
      use,
      retire: () => {
        if (!this.#lists.delete(entry)) return;
        const used = new Set([...this.#lists].flatMap((list) => list.known));
        const gone = [...this.#retired, ...entry.known].filter((secret) => !used.has(secret));
        // A set keeps the first place of a value; the newest are to stay.
        this.#retired = [...new Set(gone.toReversed())].slice(0, MAX_RETIRED).toReversed();
        this.#all = undefined;
      },
    };
  }

  /** Every form of every secret that a text may still hold, the longest first. The same array until something changes. */
  all(): readonly string[] {
    if (this.#all !== undefined) return this.#all;
    const known = [...this.#lists].flatMap((list) => list.known);
    this.#all = secretForms([...this.#retired, ...known, ...this.#learntNow()]);
    return this.#all;
  }

  /** Adds secrets, in place of the ones before the last that came from the same source. */
  learn(source: string, secrets: readonly string[]): void {
    const last = this.#learnt.get(source);
    if (secrets.every((secret) => last?.now.includes(secret))) return;
    this.#learnt.set(source, { now: secrets, before: last?.now ?? [] });
    this.#all = undefined;
    for (const list of this.#lists) this.#fill(list);
  }

  #fill({ known, forms }: Entry): void {
    forms.splice(0, forms.length, ...secretForms([...known, ...this.#learntNow()]));
  }

  #learntNow(): string[] {
    return [...this.#learnt.values()].flatMap(({ now, before }) => [...now, ...before]);
  }
}
