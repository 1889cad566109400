import { createHash } from 'node:crypto';
import type { ServerIntroduction } from '../session/agree-on-era.ts';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepareDataFolder, writePrivateFile, makeFolder } from '../../../platform/store/private-file.ts';
import { parseFrame } from '../transports/parse-frame.ts';
import { isObject } from '../transports/transport.ts';
import {
  type OfferedPrompt,
  type OfferedTool,
  parseAll,
  parseOffer,
  parsePrompt,
  parseResourceOffer,
  type ResourceOffer,
} from './offered-items.ts';

export interface Manifest extends Omit<ServerIntroduction, 'name'> {
  /** The server's own name and version. */
  readonly title: string;
  readonly tools: readonly OfferedTool[];
  readonly prompts: readonly OfferedPrompt[];
  /** The resources of a process that no caller has used, or that all callers share. */
  readonly common: ResourceOffer;
  /** The resources that the board's own user saw last; `undefined` if they equal the common ones. */
  readonly own?: ResourceOffer | undefined;
}

/** A server's description that a person has reviewed. */
export interface SeenManifest {
  /** The description when a person last reviewed it, or when the board first connected. */
  readonly manifest: Manifest;
  /** Changes that nobody has reviewed, including reverted ones. */
  readonly unseen?: string | undefined;
}

/** Stores facts about servers between runs. An unusable folder is not an error. */
export interface ManifestCache {
  read(server: string, key: string): Manifest | undefined;
  /** Stores a manifest. A few manifests of one server are kept, because clients may start it in different folders. */
  write(server: string, key: string, manifest: Manifest): void;
  /** Returns a manifest as it is stored: without secrets. */
  clean(manifest: Manifest): Manifest;
  readSeen(server: string, key: string): SeenManifest | undefined;
  writeSeen(server: string, key: string, seen: SeenManifest): void;
  /** Returns the value that `writeFailure` stored, unchecked. */
  readFailure(server: string, key: string): unknown;
  /** Stores a failed start; `undefined` deletes it. */
  writeFailure(server: string, key: string, failure: object | undefined): void;
}

/** Manifests of other formats lack parts and are not read. */
const FORMAT = 3;
const MAX_KEPT = 4;
/** The end of file names for failed starts. */
const FAILED = '.failed';
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Opens the cache in a board's data folder; `redact` removes secrets. Boards may share the folder, but each has its own reviewed
 * descriptions.
 */
export function openManifestCache(data: string, redact: (text: string) => string, board = ''): ManifestCache {
  const folder = join(data, 'mcp');
  const seen = `.seen-${createHash('sha256').update(board).digest('hex').slice(0, 16)}`;
  const fileOf = (server: string, key: string, end = ''): string =>
    join(folder, `${safeName(server)}-${key}${end}.json`);
  const clean = (_: string, value: unknown): unknown => {
    if (typeof value === 'string') return redact(value);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), item]))
      : value;
  };
  const readJson = (file: string): unknown => {
    try {
      const { size = Infinity } = statSync(file, { throwIfNoEntry: false }) ?? {};
      return size > MAX_BYTES ? undefined : parseFrame(readFileSync(file, 'utf8'));
    } catch {
      return undefined;
    }
  };
  const keep = (file: string, value: object): void => {
    prepareDataFolder(data);
    makeFolder(folder, 0o700);
    writePrivateFile(file, JSON.stringify(value, clean, 1));
  };
  return {
    read: (server, key) => parseManifest(readJson(fileOf(server, key))),
    write(server, key, manifest) {
      try {
        keep(fileOf(server, key), { format: FORMAT, server, ...manifest });
        forgetOldest(folder, safeName(server));
      } catch {
        // The next start asks the server again.
      }
    },
    // Only texts and keys change.
    clean: (manifest) => JSON.parse(JSON.stringify(manifest), clean) as Manifest,
    readSeen(server, key) {
      const value = readJson(fileOf(server, key, seen));
      const manifest = parseManifest(value);
      const unseen = isObject(value) ? value['unseen'] : undefined;
      return manifest && { manifest, unseen: typeof unseen === 'string' ? unseen : undefined };
    },
    writeSeen(server, key, { manifest, unseen }) {
      try {
        keep(fileOf(server, key, seen), { format: FORMAT, server, unseen, ...manifest });
      } catch {
        // Without the file, each run compares with the first description that it gets.
      }
    },
    readFailure: (server, key) => readJson(fileOf(server, key, FAILED)),
    writeFailure(server, key, failure) {
      try {
        const file = fileOf(server, key, FAILED);
        if (failure === undefined) rmSync(file, { force: true });
        else keep(file, failure);
      } catch {
        // The next start tries the server again.
      }
    },
  };
}

function parseManifest(value: unknown): Manifest | undefined {
  if (!isObject(value) || value['format'] !== FORMAT || !Array.isArray(value['tools'])) return undefined;
  const { era, version, title, software, instructions, capabilities, own } = value;
  if (era !== 'legacy' && era !== 'modern') return undefined;
  const tools = value['tools'].flatMap((item) => {
    const parsed = parseOffer(item);
    return parsed.ok ? [parsed.tool] : [];
  });
  return {
    era,
    version: String(version),
    title: String(title),
    software: String(software),
    instructions: typeof instructions === 'string' ? instructions : undefined,
    capabilities: isObject(capabilities) ? capabilities : {},
    tools,
    prompts: parseAll(value['prompts'], parsePrompt),
    common: parseResourceOffer(value['common']),
    ...(own === undefined ? {} : { own: parseResourceOffer(own) }),
  };
}

function forgetOldest(folder: string, server: string): void {
  const ofServer = readdirSync(folder).filter(
    (name) => name.startsWith(`${server}-`) && /^[0-9a-f]{16}\.json$/.test(name.slice(server.length + 1)),
  );
  if (ofServer.length <= MAX_KEPT) return;
  const byAge = ofServer.map((name) => ({ name, time: statSync(join(folder, name)).mtimeMs }));
  for (const { name } of byAge.toSorted((one, other) => other.time - one.time).slice(MAX_KEPT)) {
    rmSync(join(folder, name), { force: true });
    const start = name.replace(/json$/, '');
    for (const beside of readdirSync(folder))
      if (beside.startsWith(start)) rmSync(join(folder, beside), { force: true });
  }
}

/** Returns a safe file name; the key distinguishes names that become equal. */
function safeName(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
}
