import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { makeFolder, readPrivateFile, writePrivateFile } from '../../platform/store/private-file.ts';
import { readStoreKey, sealById, unsealById } from '../../platform/store/sealed-space.ts';
import { isPlainObject } from '../../tool/json.ts';
import { type ChangeOwner, type ChangePlace, changePlace } from './change-place.ts';
import { consentName, type ConsentType, fileName, isFileName } from './consent.ts';
import type { WaitingChange } from '../../guard/approval/waiting-change.ts';

/** A waiting change as it is stored, with the files that the board uses meanwhile. */
export interface StoredChange extends WaitingChange {
  /** The digest of the files with the change. */
  readonly digest: string;
  /** Those of its changes that a tool may have made. */
  readonly held: readonly string[];
  /** The accepted files: a restarted board goes on with them. */
  readonly accepted: unknown;
}

/** The answer of a person to a change. */
export interface ChangeAnswer {
  /** The digest of the files that the person saw. */
  readonly digest: string;
  readonly allow: boolean;
  readonly by: string;
}

/** The most consents that are kept; older ones belong to files that were never read. */
const MAX_CONSENTS = 1_000;

/**
 * The waiting change of a board and its answers, in sealed files that all processes of the user share. The board writes one of them and
 * those who answer the others, so that neither overwrites what the other wrote.
 */
export class ChangeStore {
  readonly place: ChangePlace;
  readonly #env: ChangeOwner['env'];
  #key: string | undefined;

  constructor(owner: ChangeOwner) {
    this.place = changePlace(owner);
    this.#env = owner.env;
  }

  get waiting(): StoredChange | undefined {
    const value = this.#read(this.place.waiting);
    // The seal shows that Pegboard wrote it.
    return isPlainObject(value) ? (value as unknown as StoredChange) : undefined;
  }

  set waiting(change: StoredChange | undefined) {
    this.#write(this.place.waiting, change);
  }

  get answer(): ChangeAnswer | undefined {
    const value = this.#read(this.place.answer);
    // The seal shows that Pegboard wrote it.
    return isPlainObject(value) ? (value as unknown as ChangeAnswer) : undefined;
  }

  set answer(answer: ChangeAnswer | undefined) {
    this.#write(this.place.answer, answer);
  }

  /** The names of what Pegboard wrote into the files after a person approved it. */
  get consents(): ReadonlySet<string> {
    const value = this.#read(this.place.consents);
    return new Set(Array.isArray(value) ? value.map(String) : []);
  }

  /** Makes the folder of the files, which can then be watched. */
  makeFolder(): void {
    makeFolder(this.place.folder, 0o700);
  }

  /** Notes something that is about to be written into the files with the consent of a person. */
  consent(type: ConsentType, written: unknown): void {
    const name = consentName(type, written);
    const names = [...this.consents].filter((one) => one !== name);
    this.#write(this.place.consents, [...names, name].slice(-MAX_CONSENTS));
  }

  /** Forgets consents to what the board uses now: after a removal, a person has to agree again. */
  forget(names: readonly string[]): void {
    const { consents } = this;
    const rest = [...consents].filter((name) => !names.includes(name));
    if (rest.length < consents.size) this.#write(this.place.consents, rest);
  }

  /**
   * Forgets the consents to whole files that were given before the one to these contents, and that one, too: a consent is for one change,
   * not for going back to a text later.
   */
  forgetFiles(hashes: readonly string[]): void {
    const names = [...this.consents];
    const last = names.findLastIndex((name) => hashes.some((hash) => name === fileName(hash)));
    const rest = names.filter((name, index) => !isFileName(name) || (last !== -1 && index > last));
    if (rest.length < names.length) this.#write(this.place.consents, rest);
  }

  #read(file: string): unknown {
    const text = readPrivateFile(file);
    const bytes = text && unsealById(this.#idOf(file), Buffer.from(text, 'base64'));
    return bytes ? JSON.parse(bytes.toString('utf8')) : undefined;
  }

  #write(file: string, value: unknown): void {
    if (value === undefined) return rmSync(file, { force: true });
    this.makeFolder();
    writePrivateFile(file, sealById(this.#idOf(file), Buffer.from(JSON.stringify(value))).toString('base64'));
  }

  /** Binds a content to its file: a copy of another one does not open. */
  #idOf(file: string): string {
    this.#key ??= readStoreKey({ folder: this.place.folder, env: this.#env }).toString('hex');
    return `${this.#key} ${basename(file)}`;
  }
}
