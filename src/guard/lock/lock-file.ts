import { randomUUID } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join, relative, resolve } from 'node:path';
import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { hashOf, type ToolPin } from './tool-pin.ts';

/** The pins of a board's tools, by name, as a person last reviewed them. */
export type ToolPins = ReadonlyMap<string, ToolPin>;

/** The hash of the code of each plugin that files name. */
export type PluginPins = ReadonlyMap<string, string>;

/** The instructions of each MCP server, by server name. */
export type InstructionPins = ReadonlyMap<string, string>;

/** The prompts, resources and templates of each MCP server, by server name; keys are `prompt NAME`, `resource URI` and `template URI`. */
export type OfferPins = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The hash of the model-written queries of each tool that has some. */
export type QueryPins = ReadonlyMap<string, string>;

/** The package that an MCP server is started from. */
export interface PackagePin {
  readonly name: string;
  readonly version: string;
  /** The hash of its archive, as npm has it; absent for a package that came from no registry. */
  readonly integrity?: string;
}

/** The package of each MCP server that npx would run, by the server's name. */
export type PackagePins = ReadonlyMap<string, PackagePin>;

/** The contents of a lock. */
export interface LockPins {
  readonly tools: ToolPins;
  readonly plugins: PluginPins;
  /** `undefined` in a lock that is older than pinned instructions. */
  readonly instructions?: InstructionPins | undefined;
  /** `undefined` in a lock that is older than pinned prompts and resources. */
  readonly offers?: OfferPins | undefined;
  /** `undefined` in a lock from before packages were pinned. */
  readonly packages?: PackagePins | undefined;
  readonly queries?: QueryPins | undefined;
}

/** The result of reading a board's lock: missing, valid or unreadable. */
export type LockReading =
  | { readonly type: 'absent' }
  | {
      readonly type: 'read';
      readonly pins: LockPins;
      /** The files of the board; `undefined` in a lock that does not list them. */
      readonly files: readonly string[] | undefined;
    }
  | { readonly type: 'broken'; readonly message: string };

const VERSION = 1;
/** Far more than a lock with tens of thousands of tools needs. */
const MAX_BYTES = 100_000_000;

/** Returns the bytes of a file; `undefined` when it is not there. */
export type ReadLockFile = (path: string) => Buffer | undefined;

/** Reads a lock file. Rejects it if a hash does not match its definition, because someone edited it by hand. */
function readLock(path: string, read: ReadLockFile | undefined): LockReading {
  if (read !== undefined) {
    const bytes = read(path);
    return bytes === undefined ? { type: 'absent' } : parseText(bytes.toString('utf8'));
  }
  // A broken link is not the same as no lock: someone created it.
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { type: 'absent' };
  let text: string;
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > MAX_BYTES)
      return {
        type: 'broken',
        message: `is not a file of at most ${MAX_BYTES / 1_000_000} MB. Rewrite it with pegboard lock`,
      };
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { type: 'broken', message: `cannot be read: ${messageOf(error)}. Rewrite it with pegboard lock` };
  }
  return parseText(text);
}

function parseText(text: string): LockReading {
  try {
    const value: unknown = JSON.parse(text);
    // People would read one value, and programs the other.
    const twice = findRepeatedKey(text);
    if (twice !== undefined)
      return { type: 'broken', message: `has ${twice} twice in one place: it was edited by hand. Run pegboard lock` };
    return parseLock(value);
  } catch {
    return { type: 'broken', message: 'is no JSON. Rewrite it with pegboard lock' };
  }
}

function parseLock(value: unknown): LockReading {
  const version = isPlainObject(value) ? value['version'] : undefined;
  if (typeof version === 'number' && version > VERSION)
    return {
      type: 'broken',
      message: `is of version ${version}, which a newer Pegboard wrote. Update Pegboard, or run pegboard lock`,
    };
  if (!isPlainObject(value) || version !== VERSION || !isPlainObject(value['tools']))
    return { type: 'broken', message: `is not a lock of version ${VERSION}. Rewrite it with pegboard lock` };
  const pins = new Map<string, ToolPin>();
  for (const [name, entry] of Object.entries(value['tools'])) {
    if (!isPlainObject(entry) || typeof entry['hash'] !== 'string' || !isPlainObject(entry['definition']))
      return { type: 'broken', message: `has no hash and definition for ${JSON.stringify(name)}. Run pegboard lock` };
    const { hash, origin, definition } = entry;
    if (hashOf(definition) !== hash) {
      const message = `has a definition of ${JSON.stringify(name)} that does not fit its hash: it was edited by hand. Run pegboard lock`;
      return { type: 'broken', message };
    }
    // The hash matches, so `toPin` created it.
    pins.set(name, { hash, origin: String(origin), definition: definition as unknown as ToolPin['definition'] });
  }
  const { files, plugins, instructions, offers, queries } = value;
  const packages = isPlainObject(value['packages']) ? toPackages(value['packages']) : undefined;
  if (typeof packages === 'string')
    return { type: 'broken', message: `has no name and version of the package of ${packages}. Run pegboard lock` };
  return {
    type: 'read',
    pins: {
      tools: pins,
      plugins: toTexts(plugins),
      ...(isPlainObject(instructions) ? { instructions: toTexts(instructions) } : {}),
      ...(isPlainObject(offers) ? { offers: toOffers(offers) } : {}),
      ...(packages === undefined ? {} : { packages }),
      ...(isPlainObject(queries) ? { queries: toTexts(queries) } : {}),
    },
    files: Array.isArray(files) ? files.map(String) : undefined,
  };
}

/** Finds a key that occurs twice in one object of a JSON text, as written; `undefined` if there is none. */
function findRepeatedKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  // Matches strings, with the colon if they are keys, and brackets; the JSON is valid.
  for (const [token, string, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*(:)?|[{}[\]]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (string !== undefined && colon !== undefined) {
      const keys = open.at(-1);
      // The same name may be escaped in several ways.
      const key = String(JSON.parse(string));
      if (keys?.has(key) === true) return string;
      keys?.add(key);
    }
  }
  return undefined;
}

function toOffers(value: Readonly<Record<string, unknown>>): OfferPins {
  return new Map(Object.entries(value).map(([server, items]) => [server, isPlainObject(items) ? items : {}]));
}

/** Reads the packages of servers, or the name of a server whose package cannot be read. */
function toPackages(value: Readonly<Record<string, unknown>>): PackagePins | string {
  const pins = new Map<string, PackagePin>();
  for (const [server, pin] of Object.entries(value)) {
    const { name, version, integrity } = isPlainObject(pin) ? pin : {};
    const isSound = typeof name === 'string' && typeof version === 'string' && /^\d[\w.+-]*$/.test(version);
    if (!isSound || (integrity !== undefined && typeof integrity !== 'string')) return JSON.stringify(server);
    pins.set(server, { name, version, ...(integrity === undefined ? {} : { integrity }) });
  }
  return pins;
}

function toTexts(value: unknown): Map<string, string> {
  const entries = Object.entries(isPlainObject(value) ? value : {});
  return new Map(entries.map(([name, text]) => [name, String(text)]));
}

/** Formats a lock, sorted, so that the same board always has the same bytes. */
export function formatLock(
  { tools: pins, plugins: hashes, instructions, offers, packages, queries = new Map() }: LockPins,
  files: readonly string[],
): string {
  const tools = sortedNames(pins).map((name) => {
    const { origin, hash, definition } = pins.get(name) ?? {};
    return [name, { origin, hash, definition }];
  });
  const sorted = (texts: ReadonlyMap<string, unknown>): object =>
    Object.fromEntries(sortedNames(texts).map((name) => [name, texts.get(name)]));
  const content = {
    version: VERSION,
    files,
    ...(hashes.size === 0 ? {} : { plugins: sorted(hashes) }),
    ...(instructions === undefined ? {} : { instructions: sorted(instructions) }),
    ...(offers === undefined ? {} : { offers: sorted(offers) }),
    ...(packages === undefined ? {} : { packages: sorted(packages) }),
    ...(queries.size === 0 ? {} : { queries: sorted(queries) }),
    tools: Object.fromEntries(tools),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function sortedNames(pins: ReadonlyMap<string, unknown>): string[] {
  return [...pins.keys()].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Writes a lock atomically, so that no other process reads half of it. Returns its text. */
export function writeLock(path: string, pins: LockPins, files: readonly string[]): string {
  // Writes a new file, because an existing link could lead elsewhere.
  const draft = `${path}.${randomUUID()}.tmp`;
  const text = formatLock(pins, files);
  writeFileSync(draft, text, { flag: 'wx' });
  renameSync(draft, path);
  return text;
}

/** The lock of a board: its path, the board's files, and its contents. */
export interface LockPlace {
  readonly file: string;
  /** The file it was read from. A new lock is not written to an old one that does not list its files. */
  readonly source: string;
  /** The files, folders and globs of the board, relative to the lock's folder, in order. */
  readonly files: readonly string[];
  /** The command that writes the lock. */
  readonly command: string;
  readonly reading: LockReading;
}

const USUAL = 'pegboard.lock';
const MAX_NAME = 100;

/** The board that a lock belongs to. */
export interface LockOwner {
  /** The folder of the lock. */
  readonly folder: string;
  /** The files, folders and globs that make the board. */
  readonly given: readonly string[];
  readonly cwd: string;
  /** Reads the lock as a person accepted it. Default: as it is on disk. */
  readonly read?: ReadLockFile | undefined;
}

/** Finds the lock of the board with these files in a folder, ignoring locks of other boards. */
export function findLock({ folder, given, cwd, read }: LockOwner): LockPlace {
  const files = given.map((name) => relative(folder, resolve(cwd, name)).replaceAll('\\', '/') || '.').toSorted();
  const file = findLockFile(folder, given, cwd);
  const words = given.map((name) => (/^[\w./+-]+$/.test(name) ? name : JSON.stringify(name)));
  const command = ['pegboard lock', ...(basename(file) === USUAL ? [] : words)].join(' ');
  const place = { file, files, command };
  const own = readLock(file, read);
  if (own.type === 'broken' || isOf(own, files)) return { ...place, source: file, reading: own };
  if (own.type === 'read') {
    const others = (own.files ?? []).map((name) => JSON.stringify(name)).join(', ');
    const message = `is of other files (${others}), not of ${files.join(', ')}. Look at the tools and run ${command}`;
    return { ...place, source: file, reading: { type: 'broken', message } };
  }
  // In earlier versions all locks had this name, and did not list their files.
  const usual = join(folder, USUAL);
  const old = readLock(usual, read);
  if (isOf(old, files)) return { ...place, source: usual, reading: old };
  return { ...place, source: file, reading: { type: 'absent' } };
}

/** Returns the path of the lock for the board with these files, even if it does not exist yet. */
export function findLockFile(folder: string, given: readonly string[], cwd: string): string {
  return join(folder, nameOf(given, cwd));
}

function isOf(reading: LockReading, files: readonly string[]): boolean {
  if (reading.type !== 'read') return false;
  return reading.files === undefined || JSON.stringify(reading.files) === JSON.stringify(files);
}

/** Returns `other.pegboard.lock` for other.yaml, so that boards never overwrite each other's locks or those of other programs. */
function nameOf(given: readonly string[], cwd: string): string {
  const stems = given.map((name) => {
    const base = basename(resolve(cwd, name));
    return base.slice(0, base.length - extname(base).length).replaceAll(/[^\p{L}\p{N}._-]+/gu, '_');
  });
  const name = stems.join('+');
  if (name === '' || name === 'pegboard') return USUAL;
  return `${name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}+${stems.length}` : name}.${USUAL}`;
}
