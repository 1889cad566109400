import type { ServerIntroduction } from './session/agree-on-era.ts';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepareDataFolder } from '../../platform/store/prepare-data-folder.ts';
import { writePrivateFile } from '../../platform/store/private-file.ts';
import { claimOnce } from '../../platform/store/claim-once.ts';
import { isObject } from './transports/wire-message.ts';
import { type OfferedTool, parseOffer } from './offered-tool.ts';

/** What a server offered when it was last asked. */
export interface Manifest extends Omit<ServerIntroduction, 'name' | 'capabilities'> {
  /** How the server calls itself, and its own version. */
  readonly title: string;
  readonly tools: readonly OfferedTool[];
}

/** Manifests of a board's servers, kept between runs. */
export interface ManifestCache {
  read(server: string, key: string): Manifest | undefined;
  /** Keeps a manifest, and forgets those of the server's earlier configs. A folder that cannot be written is no failure. */
  write(server: string, key: string, manifest: Manifest): void;
  /** A manifest as it is kept: without secrets. */
  clean(manifest: Manifest): Manifest;
  /** Takes the turn to tell of a change. False when another process, or an earlier run, told of it. */
  claimNotice(server: string, change: string): boolean;
}

/** Manifests of other formats lack parts of tools, and are not read. */
const FORMAT = 2;
const MAX_BYTES = 128 * 1024 * 1024;

/** Opens the cache in a board's data folder; `redact` takes secrets out of what is written. */
export function openManifestCache(data: string, redact: (text: string) => string): ManifestCache {
  const folder = join(data, 'mcp');
  const fileOf = (server: string, key: string): string => join(folder, `${safeName(server)}-${key}.json`);
  const clean = (_: string, value: unknown): unknown => {
    if (typeof value === 'string') return redact(value);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), item]))
      : value;
  };
  return {
    read(server, key) {
      try {
        const file = fileOf(server, key);
        return statSync(file).size > MAX_BYTES ? undefined : parseManifest(JSON.parse(readFileSync(file, 'utf8')));
      } catch {
        return undefined;
      }
    },
    write(server, key, manifest) {
      try {
        prepareDataFolder(data);
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const file = fileOf(server, key);
        const text = JSON.stringify({ format: FORMAT, server, ...manifest }, clean, 1);
        writePrivateFile(file, text);
        forgetOthers(folder, safeName(server), file);
      } catch {
        // The next opening asks the server again, which is slower and nothing worse.
      }
    },
    // Only texts and keys change.
    clean: (manifest) => JSON.parse(JSON.stringify(manifest), clean) as Manifest,
    claimNotice: (server, change) => claimOnce(data, `server ${server}`, change),
  };
}

function parseManifest(value: unknown): Manifest | undefined {
  if (!isObject(value) || value['format'] !== FORMAT || !Array.isArray(value['tools'])) return undefined;
  const { era, version, title, software, instructions } = value;
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
    tools,
  };
}

function forgetOthers(folder: string, server: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    const isOfServer = name.startsWith(`${server}-`) && /^[0-9a-f]{16}\.json$/.test(name.slice(server.length + 1));
    if (isOfServer && join(folder, name) !== kept) rmSync(join(folder, name), { force: true });
  }
}

/** A name that no file system minds; the key keeps two names apart that look the same then. */
function safeName(server: string): string {
  return server.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
}
