import { ChangeStore, type StoredChange } from '../../load/changes/change-store.ts';
import { compareParts, consentNames } from '../../load/changes/compare-parts.ts';
import { fileName } from '../../load/changes/consent.ts';
import { hashOf } from '../../load/changes/guarded-parts.ts';
import { type LookedFiles, lookAtFiles } from '../../load/changes/look-at-files.ts';
import { RecordedContents } from '../../load/changes/recorded-contents.ts';
import { changeId, type WaitingChange } from '../../guard/approval/waiting-change.ts';
import { ConfigError } from '../../load/diagnostics/diagnostic.ts';
import type { BoardSetup } from '../board-setup.ts';
import { explainChange } from './board-changes.ts';

/** The files to read next, or the change that waits. */
type Decision =
  | { readonly type: 'take'; readonly looked: LookedFiles }
  | { readonly type: 'wait'; readonly change: WaitingChange; readonly isNew: boolean };

/**
 * The files of a board as a person accepted them.
 *
 * Starting a board accepts its files, except for a change that was waiting when the board ended: it waits on, and the board starts with the
 * files from before.
 */
export class CarefulFiles {
  readonly #setup: BoardSetup;
  readonly #store: ChangeStore;
  #accepted: LookedFiles;

  private constructor(setup: BoardSetup, store: ChangeStore, accepted: LookedFiles) {
    this.#setup = setup;
    this.#store = store;
    this.#accepted = accepted;
  }

  static async open(setup: BoardSetup): Promise<CarefulFiles> {
    const store = new ChangeStore(setup);
    store.makeFolder();
    const stored = store.waiting;
    if (stored === undefined) {
      store.answer = undefined;
      // Files that were written while no board ran are accepted by the start.
      store.forgetFiles([]);
      return new CarefulFiles(setup, store, await look(setup));
    }
    const careful = new CarefulFiles(setup, store, await look(setup, RecordedContents.from(stored.accepted)));
    await careful.#resume();
    return careful;
  }

  /** The contents that the board is made of. */
  get accepted(): LookedFiles {
    return this.#accepted;
  }

  /** Files that are watched in addition to the config: code that runs when the board is read, and the lock. */
  get watched(): string[] {
    const { code, lock } = this.#accepted;
    return [...code, lock.file];
  }

  /** Files whose change means that a person answered. */
  get answers(): string[] {
    const { answer, consents } = this.#store.place;
    return [answer, consents];
  }

  /** True when a person answered the change that waits. */
  get isAnswered(): boolean {
    const { answer, waiting } = this.#store;
    return answer !== undefined && answer.digest === waiting?.digest;
  }

  /** Reads the files and decides whether they may be used. `held` lists changes that a tool may have made. Runs nothing that they name. */
  async next(held: readonly string[]): Promise<Decision> {
    const looked = await look(this.#setup);
    const before = this.#store.waiting;
    const change = this.#judge(looked, held);
    if (change === undefined) return { type: 'take', looked };
    this.#store.waiting = change;
    return { type: 'wait', change, isNew: before?.id !== change.id || before.status !== change.status };
  }

  /** Notes that the board is made of these files now. */
  accept(looked: LookedFiles): void {
    // Reading the same again says nothing: a consent may have been noted for a file that is not written yet.
    if (looked.digest !== this.#accepted.digest) this.#store.forgetFiles(looked.contents.hashes());
    this.#accepted = looked;
    this.#store.waiting = undefined;
    this.#store.answer = undefined;
    this.#store.forget(consentNames(looked));
  }

  /** Continues with a change that waited when the board ended. */
  async #resume(): Promise<void> {
    const decision = await this.next([]).catch((error: unknown) => {
      // Files that cannot be read change nothing.
      if (!(error instanceof ConfigError)) throw error;
    });
    if (decision?.type === 'take') return this.accept(decision.looked);
    const { code, contents } = this.#accepted;
    const disk = new RecordedContents();
    const other = code.find((file) => hashOf(disk.readIfThere(file)) !== hashOf(contents.readIfThere(file)));
    if (other === undefined) return;
    const waiting = this.#store.waiting;
    const message = `differs from the code that was accepted, which is not there any more, so the board cannot start. ${waiting === undefined ? '' : explainChange(waiting)}`;
    throw new ConfigError([{ severity: 'error', file: other, path: [], message }]);
  }

  #compare(looked: LookedFiles): string[] {
    return compareParts(this.#accepted, looked, this.#store.consents);
  }

  /** Returns true when a command of a person wrote all files that differ from the accepted ones. */
  #isWritten({ contents }: LookedFiles): boolean {
    const changed = contents.changedSince(this.#accepted.contents);
    const { consents } = this.#store;
    return changed.length > 0 && changed.every((hash) => consents.has(fileName(hash)));
  }

  /** Returns the change that keeps files from being used; `undefined` when they may be. */
  #judge(looked: LookedFiles, held: readonly string[]): StoredChange | undefined {
    const { digest } = looked;
    const { answer, waiting } = this.#store;
    const said = answer?.digest === digest ? answer : undefined;
    if (said?.allow === true) return undefined;
    const known = waiting?.digest === digest ? waiting : undefined;
    const made = held.length > 0 ? held : (known?.held ?? []);
    const isSame = digest === this.#accepted.digest;
    const changes = [...(isSame || this.#isWritten(looked) ? [] : this.#compare(looked)), ...made];
    if (changes.length === 0) return undefined;
    return {
      id: changeId(digest),
      digest,
      changes,
      held: made,
      status: said === undefined ? 'waiting' : 'refused',
      by: said?.by,
      since: known?.since ?? Date.now(),
      accepted: this.#accepted.contents.toJSON(),
    };
  }
}

function look({ given, cwd, env }: BoardSetup, contents?: RecordedContents): Promise<LookedFiles> {
  return lookAtFiles(given, { cwd, env, ...(contents === undefined ? {} : { contents }) });
}
