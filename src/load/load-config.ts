import { readFileSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { Redactor } from '../guard/secrets/redactor.ts';
import { cleanDiagnostics } from './clean-diagnostics.ts';
import { ConfigError, type Diagnostic } from './diagnostic.ts';
import { findFiles } from './find-files.ts';
import { loadFile, type LoadOptions } from './load-file.ts';
import type { LoadedFile } from './loaded-file.ts';
import { turnOffDependents } from './turn-off.ts';

/** Everything that was loaded, in the order in which later files win. */
export interface LoadedConfig {
  readonly files: readonly LoadedFile[];
  /** The files, folders and globs that were asked for, as given. */
  readonly given: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Where config files are looked for. */
export interface ConfigOptions extends LoadOptions {
  readonly cwd: string;
}

const MAX_BYTES = 5_000_000;

/** Loads files, folders and globs with all that they import. Never throws for what is in them: see the diagnostics. */
export function loadConfig(given: readonly string[], options: ConfigOptions): LoadedConfig {
  const loader = new Loader(options);
  for (const pattern of given) {
    const found = findFiles(pattern, options.cwd);
    if (found.length === 0) loader.diagnostics.push(missing(pattern));
    for (const file of found) loader.load(file, []);
  }
  const redactor = new Redactor(loader.files.flatMap((file) => file.secrets()));
  return { files: turnOffDependents(loader.files), given, diagnostics: cleanDiagnostics(loader.diagnostics, redactor) };
}

class Loader {
  readonly files: LoadedFile[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly #done = new Set<string>();
  readonly #options: ConfigOptions;

  constructor(options: ConfigOptions) {
    this.#options = options;
  }

  /** Imports come first, so that a file wins over what it imports. */
  load(file: string, trail: readonly string[]): void {
    if (this.#done.has(file)) return;
    const loaded = this.#read(file);
    if (loaded === undefined) return;
    for (const { pattern, path } of loaded.imports) {
      const found = findFiles(pattern, dirname(file));
      // What a ctx file imports is often not about tools at all.
      const severity = loaded.dialect === 'ctx' ? 'warning' : 'error';
      if (found.length === 0) this.#add(loaded, { severity, path, message: `no file matches "${pattern}".` });
      for (const imported of found) {
        const circle = [...trail, file];
        if (circle.includes(imported))
          this.#add(loaded, {
            severity: 'error',
            path,
            message: describeCircle([...circle, imported], this.#options.cwd),
          });
        else this.load(imported, circle);
      }
    }
    if (this.#done.has(file)) return;
    this.#done.add(file);
    this.files.push(loaded);
    this.diagnostics.push(...loaded.diagnostics);
  }

  #read(file: string): LoadedFile | undefined {
    const shown = relative(this.#options.cwd, file) || file;
    const name = shown.startsWith('..') ? file : shown;
    try {
      if (statSync(file).size > MAX_BYTES) {
        throw new ConfigError([
          { severity: 'error', file: name, path: [], message: 'is larger than 5 MB. Split it with import.' },
        ]);
      }
      return loadFile(readFileSync(file), name, { ...this.#options, folder: dirname(file) });
    } catch (error) {
      this.#done.add(file);
      if (error instanceof ConfigError) this.diagnostics.push(...error.diagnostics);
      else
        this.diagnostics.push({
          severity: 'error',
          file: name,
          path: [],
          message: `cannot be read: ${messageOf(error)}.`,
        });
      return undefined;
    }
  }

  #add(loaded: LoadedFile, told: Pick<Diagnostic, 'severity' | 'path' | 'message'>): void {
    this.diagnostics.push({ ...told, file: loaded.file, place: loaded.locate(told.path) });
  }
}

function describeCircle(files: readonly string[], cwd: string): string {
  const last = files.at(-1);
  const circle = files.slice(files.findIndex((file) => file === last)).map((file) => relative(cwd, file) || file);
  return `imports form a circle: ${circle.join(' → ')}. Remove one of them.`;
}

function missing(pattern: string): Diagnostic {
  return { severity: 'error', file: pattern, path: [], message: 'is not there. Check the path, or run pegboard init.' };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
