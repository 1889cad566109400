import { secretForms } from './secret-forms.ts';

/** Secrets of a board: those of each reading of its files, and those it is given while it runs. */
export class SecretLists {
  readonly #lists: { readonly known: readonly string[]; readonly forms: string[] }[] = [];
  /** By who gave them: the newest, and those before, which calls in flight may still show. */
  readonly #learnt = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();

  /** Every form of these secrets, the longest first. What is learnt later is added to the same list. */
  open(known: Iterable<string>): readonly string[] {
    const list = { known: [...known], forms: [] };
    this.#lists.push(list);
    this.#fill(list);
    return list.forms;
  }

  /** Adds secrets, in place of the ones before the last that came from the same source. */
  learn(source: string, secrets: readonly string[]): void {
    const last = this.#learnt.get(source);
    if (secrets.every((secret) => last?.now.includes(secret))) return;
    this.#learnt.set(source, { now: secrets, before: last?.now ?? [] });
    for (const list of this.#lists) this.#fill(list);
  }

  #fill({ known, forms }: { readonly known: readonly string[]; readonly forms: string[] }): void {
    const learnt = [...this.#learnt.values()].flatMap(({ now, before }) => [...now, ...before]);
    forms.splice(0, forms.length, ...secretForms([...known, ...learnt]));
  }
}
