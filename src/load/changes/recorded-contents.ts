import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

/** The contents of files for two readings that must see the same: one that compares them, and one that runs what they name. */
export interface FileContents {
  /** Lists the files that a pattern matches; `look` finds them when they are first wanted. */
  find(pattern: string, folder: string, look: () => string[]): string[];
  /** Returns the bytes of a file; `load` reads it when it is first wanted. Throws when it cannot be read. */
  read(file: string, load: (file: string) => Buffer): Buffer;
  /** Returns the bytes of a file; `undefined` when it cannot be read. */
  readIfThere(file: string): Buffer | undefined;
}

/** The largest code or lock file: far more than any that people write. */
const MAX_BYTES = 100_000_000;

/** File contents as they were when they were first read. */
export class RecordedContents implements FileContents {
  readonly #files = new Map<string, Buffer | Error>();
  readonly #found = new Map<string, readonly string[]>();
  #isClosed = false;

  find(pattern: string, folder: string, look: () => string[]): string[] {
    const key = resolve(folder, pattern);
    const known = this.#found.get(key);
    if (known !== undefined) return [...known];
    // The reading that was compared did not see these files: a secret may have named them.
    if (this.#isClosed) return [];
    const found = look();
    this.#found.set(key, found);
    return [...found];
  }

  read(file: string, load: (file: string) => Buffer): Buffer {
    const bytes = this.#files.get(file) ?? this.#load(file, load);
    if (bytes instanceof Error) throw bytes;
    return bytes;
  }

  readIfThere(file: string): Buffer | undefined {
    const bytes = this.#files.get(file) ?? this.#load(file, readWhole);
    return bytes instanceof Error ? undefined : bytes;
  }

  /** Reads nothing more from disk. */
  close(): this {
    this.#isClosed = true;
    return this;
  }

  /** Returns the hash of all contents, the same in every process. `except` leaves files out. */
  digest(except: ReadonlySet<string> = new Set()): string {
    const hash = createHash('sha256');
    const names = [...this.#files.keys()].filter((file) => !except.has(file));
    for (const file of names.toSorted()) {
      hash.update(`${JSON.stringify(file)} ${hashOf(this.#files.get(file))}\n`);
    }
    return hash.digest('hex');
  }

  /** Returns the hashes of all files. */
  hashes(): string[] {
    return [...this.#files.values()].map(hashOf);
  }

  /** Returns the hashes of the files that differ from others. Files that only one of both has count, too. */
  changedSince(others: RecordedContents): string[] {
    return [...new Set([...this.#files.keys(), ...others.#files.keys()])].flatMap((file) => {
      const hash = hashOf(this.#files.get(file));
      return hash === hashOf(others.#files.get(file)) ? [] : [hash];
    });
  }

  /** Returns plain data that `from` reads. */
  toJSON(): Readonly<Record<string, unknown>> {
    const files = [...this.#files].map(([file, bytes]) => [
      file,
      bytes instanceof Buffer ? bytes.toString('base64') : null,
    ]);
    return { files: Object.fromEntries(files), found: Object.fromEntries(this.#found) };
  }

  /** Restores contents that `toJSON` returned. */
  static from(value: unknown): RecordedContents {
    const made = new RecordedContents();
    const { files, found } = isPlainObject(value) ? value : {};
    for (const [file, text] of Object.entries(isPlainObject(files) ? files : {}))
      made.#files.set(file, typeof text === 'string' ? Buffer.from(text, 'base64') : new Error('it is not there'));
    for (const [key, names] of Object.entries(isPlainObject(found) ? found : {}))
      made.#found.set(key, Array.isArray(names) ? names.map(String) : []);
    return made.close();
  }

  #load(file: string, load: (file: string) => Buffer): Buffer | Error {
    const bytes = this.#isClosed ? new Error('it was not among the files that were compared') : tryLoad(file, load);
    this.#files.set(file, bytes);
    return bytes;
  }
}

function hashOf(bytes: Buffer | Error | undefined): string {
  return bytes instanceof Buffer ? createHash('sha256').update(bytes).digest('hex') : 'none';
}

function tryLoad(file: string, load: (file: string) => Buffer): Buffer | Error {
  try {
    return load(file);
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

function readWhole(file: string): Buffer {
  const stats = statSync(file);
  if (!stats.isFile() || stats.size > MAX_BYTES) throw new Error('it is no file of at most 100 MB');
  return readFileSync(file);
}
