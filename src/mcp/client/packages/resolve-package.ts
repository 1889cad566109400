import { setTimeout as wait } from 'node:timers/promises';
import { unlessAborted } from '../../../platform/unless-aborted.ts';
import { prepareDataFolder } from '../../../platform/store/private-file.ts';
import type { StdioCommand } from '../server-settings.ts';
import { findPackage, isShadowed, type OtherArchive, type PackageFinding } from './find-package.ts';
import type { PackageInstallation } from './install-package.ts';
import type { InstalledPackage } from './installed-package.ts';
import type { PackageSpec } from './package-command.ts';
import type { PackageHost } from './package-installs.ts';
import { packagesFolder, readRecord, writeRecord } from './package-record.ts';
import { type PackageRule, pinFor, refusalOf } from './package-rule.ts';

/** A package that a server needs. */
export interface PackageWish extends Pick<StdioCommand, 'cwd' | 'env'> {
  readonly server: string;
  readonly spec: PackageSpec;
  /** True when the command names no package apart from its program: npx then looks for a program of that name first. */
  readonly isProgramName: boolean;
  readonly rule: PackageRule | undefined;
}

export type PackageResolution =
  | { readonly type: 'found'; readonly installed: InstalledPackage }
  /** npx would run another program. */
  | { readonly type: 'shadowed' }
  | {
      readonly type: 'failed';
      readonly message: string;
      /** The errors of npm. */
      readonly said: string;
    };

/** Milliseconds for one installation. */
const INSTALL_TIMEOUT = 600_000;
/** Milliseconds between checks for another process's installation. */
const LOOK = 100;

/**
 * Finds the package that a server runs, or installs it. `signal` ends the wait, not the installation: the next start finds what it
 * installed.
 */
export async function resolvePackage(
  wish: PackageWish,
  host: PackageHost,
  signal: AbortSignal,
): Promise<PackageResolution> {
  const { spec, rule, cwd, server } = wish;
  const refusal = refusalOf(spec, rule);
  if (refusal !== undefined) return fail(refusal);
  const places = openPlaces(wish, host);
  const found = places.find();
  if (found.type === 'other') return refuse(found, wish);
  const isLocal = found.type === 'found' && found.isLocal;
  const mayBeShadowed = wish.isProgramName && !isLocal && places.pin === undefined;
  if (mayBeShadowed && isShadowed(spec, cwd)) return { type: 'shadowed' };
  if (found.type === 'found') return { type: 'found', installed: found.installed };
  const key = JSON.stringify([server, spec.text, places.pin, cwd]);
  const work = host.installs.run(key, (closing) => install(wish, { host, places, closing }));
  const outcome = await unlessAborted(work, signal).catch(() => undefined);
  if (outcome === undefined) return fail(`npm is still installing ${spec.text}. That goes on: call again in a moment`);
  if (outcome.type === 'installed') return { type: 'found', installed: outcome.installed };
  return outcome.type === 'other'
    ? refuse(outcome, wish)
    : fail(explain(outcome.message, places.wanted(), wish), outcome.said);
}

/** The places of one package, with the versions that lock and record leave. */
interface Places {
  readonly folder: string;
  readonly pin: PackageRule['pin'];
  /** Looks for the package, and records its version if the entry names none. */
  find(): PackageFinding;
  /** The package as npm takes it, with the version that an earlier start took. */
  wanted(): string;
  keep(installed: InstalledPackage): void;
}

function openPlaces({ spec, rule, cwd, env, server }: PackageWish, { data }: PackageHost): Places {
  const folder = packagesFolder(data);
  const pin = pinFor(spec, rule);
  const record = { folder, server, text: spec.text };
  const isRecorded = spec.wanted.type !== 'exact' && pin === undefined;
  const recorded = (): string | undefined => (isRecorded ? readRecord(record) : undefined);
  const keep = ({ version }: InstalledPackage): void => {
    if (isRecorded && recorded() !== version) writeRecord(record, version);
  };
  return {
    folder,
    pin,
    find() {
      const found = findPackage({ spec, pin, recorded: recorded(), cwd, env, folder });
      // The project decides the version of its own packages.
      if (found.type === 'found' && !found.isLocal) keep(found.installed);
      return found;
    },
    wanted() {
      const version = pin?.version ?? recorded();
      return version === undefined ? spec.text : `${spec.name}@${version}`;
    },
    keep,
  };
}

interface InstallParts {
  readonly host: PackageHost;
  readonly places: Places;
  readonly closing: AbortSignal;
}

/** Installs a package in one process at a time; the others get its result. */
async function install(
  { spec, cwd, env }: PackageWish,
  { host, places, closing }: InstallParts,
): Promise<PackageInstallation> {
  const { folder, pin } = places;
  const { installPackage } = await import('./install-package.ts');
  const signal = AbortSignal.any([closing, AbortSignal.timeout(INSTALL_TIMEOUT)]);
  for (;;) {
    const text = places.wanted();
    // Without a store several processes may install it: the first one to finish counts.
    const lease = await host.lease(`package ${text}`).catch(() => ({ release: async () => {} }));
    try {
      const found = places.find();
      if (found.type === 'found') return { type: 'installed', installed: found.installed };
      if (found.type === 'other') return found;
      if (lease !== undefined) {
        prepareDataFolder(host.data);
        const outcome = await installPackage({ name: spec.name, text, pin, cwd, env, folder, signal });
        // Recorded before the next process looks: it takes the same version.
        if (outcome.type === 'installed') places.keep(outcome.installed);
        return outcome;
      }
    } finally {
      await lease?.release();
    }
    if (signal.aborted) return { type: 'failed', message: 'another process did not finish in time', said: '' };
    await wait(LOOK, undefined, { signal }).catch(() => {});
  }
}

function refuse(
  { installed: { name, version }, integrity, place }: OtherArchive,
  { rule, server }: PackageWish,
): PackageResolution {
  const { file = 'the lock', command = 'pegboard lock', pin } = rule ?? {};
  return fail(
    `${name}@${version} ${place} is not what ${file} pins: its integrity is ${integrity}, the pinned one ${pin?.integrity ?? 'none'}. If you trust it, run ${command}; pegboard mcp update ${server} takes another version`,
  );
}

/** Says how to install a package by hand. */
function explain(message: string, text: string, { spec, cwd }: PackageWish): string {
  const { name, wanted } = spec;
  const isTag = wanted.type === 'tag' && text === spec.text;
  const command = ['npm install --prefix', quote(cwd), quote(isTag ? name : text)].join(' ');
  const first = isTag ? `write ${name} in its entry, and ` : '';
  const reason = message.replace(/\.$/, '');
  return `${text} is not on this machine and could not be installed: ${reason}. With a network the next start installs it; or ${first}run: ${command}`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./~^-]+$/.test(word) ? word : JSON.stringify(word);
}

function fail(message: string, said = ''): PackageResolution {
  return { type: 'failed', message, said };
}
