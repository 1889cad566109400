import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dataFolder } from '../../../../load/data-folder.ts';
import { loadFile } from '../../../../load/load-file.ts';
import { escapeText, joinEscaped } from '../../../../tool/texts/escape-variables.ts';
import type { ChangedFile } from '../../../../load/change-file.ts';
import { makeFolder, prepareDataFolder } from '../../../../platform/store/private-file.ts';
import { readZip, type ZippedFile } from '../../../../platform/zip/read-zip.ts';
import { isPlainObject } from '../../../../tool/json.ts';
import type { CliContext } from '../../../../cli/shared/cli-context.ts';
import { UsageError } from '../../../../cli/shared/usage-error.ts';
import { shortName } from '../server-entry.ts';
import type { FoundServer } from '../hide-secrets.ts';
import type { InputFiller, WantedInput } from './wanted-inputs.ts';

type Json = Readonly<Record<string, unknown>>;

interface ReadOptions {
  readonly shown: string;
  readonly name: string | undefined;
  readonly command: string;
  /** The config file for the entry; the bundle is unpacked in its data folder. */
  readonly file: ChangedFile;
  readonly context: CliContext;
  filler(name: string): InputFiller;
}

/**
 * Reads the server of a bundle (`.mcpb`), which is unpacked when its entry is written. Throws for an invalid archive, for one that would
 * write outside of its folder, and for missing settings.
 */
export async function readBundle(bytes: Buffer, options: ReadOptions): Promise<FoundServer> {
  const { shown, command, file, context } = options;
  const wrong = (why: string): UsageError => new UsageError(`${shown} ${why}`, command);
  const files = readZip(bytes, shown);
  const manifest = readManifest(files.find(({ name }) => name === 'manifest.json'));
  if (manifest === undefined)
    throw wrong('is not a bundle: it has no manifest.json with a name, a version and a server.');
  const { server, version, platform } = manifest;
  const name = options.name ?? shortName(manifest.name);
  const overrides = isPlainObject(server['platform_overrides']) ? server['platform_overrides'][process.platform] : {};
  const config: Json = { ...server, ...(isPlainObject(overrides) ? overrides : {}) };
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const folder = join(bundlesOf(file, context), `${name}-${version}-${digest}`.replaceAll(/[^\w.-]+/g, '-'));
  const filler = options.filler(name);
  const settings = await fillSettings(manifest.settings, filler);
  filler.check();
  const fillOne = (text: string): string =>
    fillPlaces(text, (key) => settings.get(key)?.join(',') ?? placeOf(key, folder));
  const fillAll = (text: string): string[] => {
    const key = /^\$\{([^{}]+)\}$/.exec(text)?.[1] ?? '';
    return settings.get(key)?.map(String) ?? [fillOne(text)];
  };
  if (typeof config['command'] !== 'string') throw wrong('does not say how to start its server.');
  const args = Array.isArray(config['args']) ? config['args'].flatMap((arg) => fillAll(String(arg))) : [];
  const env = Object.entries(isPlainObject(config['env']) ? config['env'] : {});
  // A missing setting sets no variable.
  const filled = env
    .map(([key, value]) => [key, fillOne(String(value))] as const)
    .filter(([, value]) => !value.includes('${user_config.'));
  return {
    name,
    entry: {
      command: fillOne(config['command']),
      args: args.filter((arg) => !arg.includes('${user_config.')),
      ...(filled.length === 0 ? {} : { env: Object.fromEntries(filled) }),
    },
    notes:
      platform.length > 0 && !platform.includes(process.platform)
        ? [`${shown} is for ${platform.join(', ')}, not for this machine.`]
        : [],
    secrets: filler.secrets,
    install: () => unpack(files, folder),
  };
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly server: Json;
  readonly settings: Json;
  readonly platform: readonly unknown[];
}

function readManifest(file: ZippedFile | undefined): Manifest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(file?.read().toString('utf8') ?? '');
  } catch {
    return undefined;
  }
  if (!isPlainObject(value)) return undefined;
  const { name, version, server, user_config: settings, compatibility } = value;
  const config = isPlainObject(server) ? server['mcp_config'] : undefined;
  if (typeof name !== 'string' || name === '' || typeof version !== 'string' || !isPlainObject(config))
    return undefined;
  const platforms = isPlainObject(compatibility) ? compatibility['platforms'] : undefined;
  return {
    name,
    version,
    server: config,
    settings: isPlainObject(settings) ? settings : {},
    platform: Array.isArray(platforms) ? platforms : [],
  };
}

/** Collects the values of a bundle's settings by placeholder, `user_config.KEY`, as lists. */
async function fillSettings(settings: Json, filler: InputFiller): Promise<ReadonlyMap<string, readonly string[]>> {
  const values = new Map<string, readonly string[]>();
  for (const [key, setting] of Object.entries(settings)) {
    if (!isPlainObject(setting)) continue;
    const { title, description, required, sensitive, default: fallback, multiple } = setting;
    const list = Array.isArray(fallback) ? fallback.map(String) : undefined;
    const input: WantedInput = {
      key,
      description: [title, description].filter((word) => typeof word === 'string').join(': '),
      isRequired: required === true,
      isSecret: sensitive === true,
      fallback: isPlain(fallback) ? toHome(String(fallback)) : undefined,
      choices: [],
    };
    const value = await filler.fill(list === undefined ? input : { ...input, isRequired: false });
    if (value !== undefined) values.set(`user_config.${key}`, multiple === true ? value.split(',') : [value]);
    else if (list !== undefined) values.set(`user_config.${key}`, list.map(toHome));
  }
  return values;
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Resolves the variables of manifests. */
function placeOf(key: string, folder: string): string | undefined {
  const places: Readonly<Record<string, string>> = {
    __dirname: escapeText(folder),
    HOME: '${HOME}',
    DESKTOP: '${HOME}/Desktop',
    DOCUMENTS: '${HOME}/Documents',
    DOWNLOADS: '${HOME}/Downloads',
    '/': '/',
    pathSeparator: '/',
  };
  return Object.hasOwn(places, key) ? places[key] : undefined;
}

/** Fills in the placeholders of a manifest's text. Unknown ones stay text: a bundle must not choose which variables and files it gets. */
function fillPlaces(text: string, find: (key: string) => string | undefined): string {
  // Every second part is a key.
  const parts = text.split(/\$\{([^{}]+)\}/);
  return joinEscaped(
    parts.map((part, index) => (index % 2 === 0 ? escapeText(part) : (find(part) ?? escapeText(`\${${part}}`)))),
  );
}

function toHome(text: string): string {
  return fillPlaces(text, (key) => (HOMES.has(key) ? placeOf(key, '') : undefined));
}

const HOMES: ReadonlySet<string> = new Set(['HOME', 'DESKTOP', 'DOCUMENTS', 'DOWNLOADS']);

function bundlesOf(file: ChangedFile, { env, cwd }: CliContext): string {
  const home = dirname(file.path);
  const loaded = loadFile(Buffer.from(file.text ?? 'name: new\n'), file.path, { env, cwd, folder: home, mode: 'look' });
  return join(dataFolder([loaded], { data: undefined, env, cwd }), 'bundles');
}

/** Unpacks a bundle completely or not at all, and only once. */
function unpack(files: readonly ZippedFile[], folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  prepareDataFolder(dirname(dirname(folder)));
  makeFolder(dirname(folder), 0o700);
  const next = `${folder}.${process.pid}`;
  try {
    for (const file of files) {
      const path = join(next, file.name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, file.read(), { mode: 0o600, flag: 'wx' });
      if (file.isExecutable) chmodSync(path, 0o700);
    }
    renameSync(next, folder);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}
