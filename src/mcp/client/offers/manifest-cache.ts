import { createHash } from 'node:crypto';
import type { ServerIntroduction } from '../session/agree-on-era.ts';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepareDataFolder } from '../../../platform/store/prepare-data-folder.ts';
import { writePrivateFile } from '../../../platform/store/private-file.ts';
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
import { makeFolder } from '../../../platform/store/make-folder.ts';

/** A server's offer when it was last asked. */
export interface Manifest extends Omit<ServerIntroduction, 'name'> {
  /** The server's own name and version. */
  readonly title: string;
  readonly tools: readonly OfferedTool[];
  readonly prompts: readonly OfferedPrompt[];
  /** The resources of a process that no caller has used, or that all callers share. */
  readonly common: ResourceOffer;
  /** Those that the user of the board saw last; `undefined` where that user has only seen the common ones. */
  readonly own?: ResourceOffer | undefined;
}

/** The state of a server that a person of the board has seen. */
export interface SeenManifest {
  /** The server's description when a person last looked at it, or when the board first met it. */
  readonly manifest: Manifest;
  /** Changes since that nobody has looked at, even where the server took them back. */
  readonly unseen?: string | undefined;
}

/** Remembers facts about servers between runs. A folder that cannot be read or written is no failure. */
export interface ManifestCache {
  read(server: string, key: string): Manifest | undefined;
  /** Keeps a manifest, beside a few of the server's other configs: clients may start it in other folders. */
  write(server: string, key: string, manifest: Manifest): void;
  /** A manifest as it is kept: without secrets. */
  clean(manifest: Manifest): Manifest;
  readSeen(server: string, key: string): SeenManifest | undefined;
  writeSeen(server: string, key: string, seen: SeenManifest): void;
  /** Returns the value that `writeFailure` stored, unchecked. */
  readFailure(server: string, key: string): unknown;
  /** Keeps how a start failed; `undefined` forgets it. */
  writeFailure(server: string, key: string, failure: object | undefined): void;
}

/** Manifests of other formats lack parts of tools, or prompts and resources, and are not read. */
const FORMAT = 3;
/** Manifests of one server. */
const MAX_KEPT = 4;
/** Ends the names of files about starts that failed. */
const FAILED = '.failed';
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * Opens the cache in a board's data folder; `redact` takes secrets out of what is written. Boards may share the folder: each has seen
 * what its own people looked at.
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
        // The next opening asks the server again, which is slower and nothing worse.
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
        // A folder that cannot be written remembers nothing: each run compares with what it met first.
      }
    },
    readFailure: (server, key) => readJson(fileOf(server, key, FAILED)),
    writeFailure(server, key, failure) {
      try {
        const file = fileOf(server, key, FAILED);
        if (failure === undefined) rmSync(file, { force: true });
        else keep(file, failure);
      } catch {
        // The next opening tries the server again.
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

/** A name that no file system minds; the key keeps two names apart that look the same then. */
function safeName(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
}
