import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Redactor } from '../guard/secrets/redactor.ts';
import { cleanDiagnostics, ConfigError, type Diagnostic } from './diagnostics/diagnostic.ts';
import { NEEDS_PLUGIN } from './diagnostics/reword-issue.ts';
import { escapeVariables } from '../tool/texts/escape-variables.ts';
import { homeFolder } from './data-folder.ts';
import { BUILT_IN_KINDS } from '../kinds/built-in-kinds.ts';
import type { Kind } from '../kinds/kind.ts';
import { ToolError } from '../tool/tool-error.ts';
import { type LoadOptions, type OpenedFile, openFile, toKindMap } from './load-file.ts';
import type { LoadedFile } from './loaded-file.ts';
import type { PluginPins, ReadLockFile } from '../guard/lock/lock-file.ts';
import type { PluginGate } from './plugins/read-plugins.ts';
import { addFeatures, addKinds, type Plugin } from './plugins/define-plugin.ts';
import type { Feature } from './features/feature.ts';
import { turnOffDependents } from './turn-off.ts';
import { messageOf } from '../tool/texts/message-of.ts';

/** The loaded files; later ones override earlier ones. */
export interface LoadedConfig {
  readonly files: readonly LoadedFile[];
  /** The requested files, folders and globs. */
  readonly given: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** The plugins from code and from the files. */
  readonly plugins: readonly Plugin[];
  /** Returns the hashes of the plugins that the files name, for the lock. Computed on first use. */
  readonly pluginPins: () => PluginPins;
  /** The kinds of tools that the files may use. */
  readonly kinds: readonly Kind[];
  readonly features: readonly Feature[];
  /** True when plugins were skipped because the board is opened to look: their kinds and providers are unknown. */
  readonly lacksPlugins: boolean;
  /** Reads the lock as a person accepted it; `undefined` where the lock on disk counts. */
  readonly readLock?: ReadLockFile | undefined;
}

export interface ConfigOptions extends LoadOptions {
  readonly cwd: string;
  /** Sections given in code, which override those of the files. */
  readonly sections?: Readonly<Record<string, unknown>> | undefined;
  /** Plugins available to every file. */
  readonly plugins?: readonly Plugin[];
  /** `ignore` runs plugins that differ from the lock, in order to rewrite it; `compare` asks no person about them. */
  readonly lock?: 'ignore' | 'compare' | undefined;
  /** Asks a person to approve changed plugins, under `lock: approve`. */
  readonly approveChanges?: PluginGate['approve'];
}

type Fault = Pick<Diagnostic, 'severity' | 'path' | 'message'>;

const MAX_BYTES = 5_000_000;
/** The name of sections given in code, for messages. */
const INLINE = 'openBoard()';

/** Loads files, folders and globs with everything they import, and their plugins. Reports faults as diagnostics instead of throwing. */
export async function loadConfig(given: readonly string[], options: ConfigOptions): Promise<LoadedConfig> {
  const loader = new Loader(options);
  for (const pattern of given) {
    const found = loader.find(pattern, options.cwd);
    if (found.length === 0) loader.diagnostics.push(missing(pattern));
    for (const file of found) loader.open(file, []);
  }
  if (options.sections !== undefined) loader.add(options.sections);
  await loader.loadPlugins(given);
  const files = loader.read();
  const { plugins, pluginPins, kinds, features, lacksPlugins } = loader;
  const redactor = new Redactor(files.flatMap((file) => file.secrets()));
  const diagnostics = cleanDiagnostics(loader.diagnostics, redactor);
  const loaded = { files: turnOffDependents(files), kinds: [...kinds.values()] };
  const { readLock } = loader;
  return { ...loaded, given, diagnostics, plugins, pluginPins, features, lacksPlugins, readLock };
}

class Loader {
  readonly diagnostics: Diagnostic[] = [];
  readonly plugins: Plugin[];
  pluginPins: LoadedConfig['pluginPins'] = () => new Map();
  lacksPlugins = false;
  readonly kinds = new Map(toKindMap(BUILT_IN_KINDS));
  readonly features: Feature[] = [];
  /** Files in override order, with the faults of their imports and plugins. */
  readonly #opened: { readonly file: OpenedFile; readonly path: string; readonly faults: Fault[] }[] = [];
  readonly #done = new Set<string>();
  readonly #options: ConfigOptions;

  constructor(options: ConfigOptions) {
    this.#options = options;
    this.plugins = [...(options.plugins ?? [])];
    const twice = addKinds(this.kinds, this.plugins);
    const unfit = addFeatures(this.features, this.plugins);
    if (unfit !== undefined)
      throw new ToolError({ code: 'invalid_arguments', message: `A plugin cannot be used: ${unfit}.` });
    if (twice === undefined) return;
    const message = `There are two kinds of tools with the type "${twice}". Rename one, or leave out one of the plugins.`;
    throw new ToolError({ code: 'invalid_arguments', message });
  }

  /** Reads the lock as a person accepted it. */
  get readLock(): ReadLockFile | undefined {
    const { contents } = this.#options;
    return contents && ((path) => contents.readIfThere(path));
  }

  /** Lists the files that a pattern matches. */
  find(pattern: string, folder: string): string[] {
    const look = (): string[] => findFiles(pattern, folder);
    return this.#options.contents?.find(pattern, folder, look) ?? look();
  }

  /** Opens a file after its imports, so that it overrides them. */
  open(file: string, trail: readonly string[]): void {
    if (this.#done.has(file)) return;
    const opened = this.#open(file, trail.length === 0);
    if (opened === undefined) return;
    const faults: Fault[] = [];
    for (const { pattern, path } of opened.imports) {
      const found = this.find(pattern, dirname(file));
      // Imports of a ctx file are often not about tools at all.
      const severity = opened.dialect === 'ctx' ? 'warning' : 'error';
      if (found.length === 0) faults.push({ severity, path, message: `no file matches "${pattern}".` });
      for (const imported of found) {
        const circle = [...trail, file];
        if (!circle.includes(imported)) this.open(imported, circle);
        else
          faults.push({ severity: 'error', path, message: describeCircle([...circle, imported], this.#options.cwd) });
      }
    }
    if (this.#done.has(file)) return;
    this.#done.add(file);
    this.#opened.push({ file: opened, path: file, faults });
  }

  /** Adds sections given in code, which contain no variables. */
  add(sections: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify(escapeVariables(sections), undefined, 2);
    const { cwd } = this.#options;
    const file = openFile(Buffer.from(text), INLINE, { ...this.#options, folder: cwd, isInline: true });
    this.#opened.push({ file, path: INLINE, faults: [] });
  }

  /** Loads the plugins that the files name, each once. Errors are faults of the file. */
  async loadPlugins(given: readonly string[]): Promise<void> {
    const wanted = this.#opened.flatMap(({ file, faults }) =>
      file.plugins.map((named) => ({
        named,
        addFault: (message: string, severity: Fault['severity'] = 'error') =>
          faults.push({ severity, path: named.path, message }),
      })),
    );
    if (wanted.length === 0) return;
    const { cwd, lock, approveChanges, mode: purpose = 'run' } = this.#options;
    this.lacksPlugins = purpose === 'look';
    const approve = lock === undefined ? approveChanges : undefined;
    const places = this.#opened.map(({ file: { dialect }, path }) => ({
      file: path,
      dialect,
      isInline: path === INLINE,
    }));
    const folder = homeFolder(places, cwd);
    const mode = this.#opened.findLast(({ file }) => file.lock !== undefined)?.file.lock;
    const isIgnored = lock === 'ignore';
    const gate = { folder, given, cwd, read: this.readLock, mode, isIgnored, isLooking: this.lacksPlugins, approve };
    const { readPlugins } = await import('./plugins/read-plugins.ts');
    this.pluginPins = await readPlugins(wanted, {
      plugins: this.plugins,
      kinds: this.kinds,
      features: this.features,
      gate,
    });
  }

  /** Reads the tools of all files, now that their kinds are known. */
  read(): LoadedFile[] {
    const providers = this.lacksPlugins
      ? undefined
      : this.plugins.flatMap(({ providers: own = {} }) => Object.keys(own));
    const sections = this.lacksPlugins
      ? undefined
      : Object.fromEntries(this.features.flatMap((feature) => Object.entries(feature.sections)));
    const lacksPlugin = this.#opened.some(({ faults }) => faults.some(({ path }) => path[0] === 'plugins'));
    return this.#opened.map(({ file, path, faults }) => {
      const read = file.read({ kinds: this.kinds, providers, sections });
      // The generated text for a code file has no place to show.
      const loaded = CODE_FILE.test(path) ? { ...read, locate: () => undefined } : read;
      const pluginFaults = faults.map((fault) => ({ ...fault, file: loaded.file, place: loaded.locate(fault.path) }));
      // Unknown kinds of a missing plugin are covered by the fault about the plugin.
      const others = loaded.diagnostics.filter(({ message }) => !(lacksPlugin && message.endsWith(NEEDS_PLUGIN)));
      this.diagnostics.push(...pluginFaults, ...others);
      return loaded;
    });
  }

  #open(file: string, isGiven: boolean): OpenedFile | undefined {
    const shown = relative(this.#options.cwd, file) || file;
    const name = shown.startsWith('..') ? file : shown;
    try {
      const load = (): Buffer => {
        if (statSync(file).size <= MAX_BYTES) return readFileSync(file);
        const message = 'is larger than 5 MB. Split it with import.';
        throw new ConfigError([{ severity: 'error', file: name, path: [], message }]);
      };
      const isCode = isGiven && CODE_FILE.test(file);
      const bytes = isCode ? Buffer.from(toBoard(file)) : (this.#options.contents?.read(file, load) ?? load());
      return openFile(bytes, name, { ...this.#options, folder: dirname(file) });
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
}

/** Returns the board for a code file: the tools that it exports. */
function toBoard(file: string): string {
  const name = basename(file)
    .replace(CODE_FILE, '')
    .replaceAll(/[^\w.-]+/g, '-');
  return JSON.stringify({ name, tools: [{ type: 'script', file: `./${basename(file)}` }] });
}

function describeCircle(files: readonly string[], cwd: string): string {
  const last = files.at(-1);
  const circle = files.slice(files.findIndex((file) => file === last)).map((file) => relative(cwd, file) || file);
  return `imports form a circle: ${circle.join(' → ')}. Remove one of them.`;
}

function missing(pattern: string): Diagnostic {
  return {
    severity: 'error',
    file: pattern,
    path: [],
    message: 'does not exist. Check the path, or run pegboard init.',
  };
}

const CONFIG_FILE = /\.(?:ya?ml|json)$/i;
/** Matches files that are not configs but export tools. */
export const CODE_FILE = /\.[cm]?[jt]s$/;
const GLOB = /[*?{[]/;

/** Lists the files that a path, a folder or a glob matches, in a fixed order. */
export function findFiles(pattern: string, cwd: string): string[] {
  // Braces multiply: a short pattern could match millions of names.
  if (pattern.includes('\0') || pattern.length > 1000 || (pattern.match(/\{/g) ?? []).length > 3) return [];
  const path = resolve(cwd, pattern);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return [path];
  if (stats?.isDirectory() === true) {
    return readdirSync(path)
      .filter((name) => CONFIG_FILE.test(name))
      .toSorted()
      .map((name) => join(path, name));
  }
  if (!GLOB.test(pattern)) return [];
  return globSync(pattern, { cwd })
    .map((file) => resolve(cwd, file))
    .filter((file) => CONFIG_FILE.test(file) && statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .toSorted();
}
