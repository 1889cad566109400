import type { PackagePin } from '../../../guard/lock/lock-file.ts';
import type { TransportFailure } from '../transports/transport.ts';
import type { ServerAddress, ServerSettings } from '../server-settings.ts';
import { toPackagePin } from './installed-package.ts';
import { parsePackageCommand } from './package-command.ts';
import type { PackageHost } from './package-installs.ts';
import { programOf } from './package-program.ts';
import type { PackageRule } from './package-rule.ts';
import { resolvePackage } from './resolve-package.ts';
import { findUvTool } from './uv-tool.ts';

export type Launch =
  | {
      readonly type: 'ready';
      readonly settings: ServerSettings;
      /** Returns the package that it runs; `undefined` when it is started as written. */
      readonly pin: (() => PackagePin) | undefined;
    }
  | { readonly type: 'failed'; readonly failure: TransportFailure; readonly said: string };

interface LaunchParts {
  readonly host: PackageHost;
  readonly rule: PackageRule | undefined;
  /** Ends the wait for an installation. */
  readonly signal: AbortSignal;
}

/**
 * Replaces the command of a server that npx, `npm exec` or uvx would start by the server's own program: it starts without them, without a
 * network, and no process of theirs runs beside it. Other commands stay as written.
 */
export async function launchCommand(settings: ServerSettings, { host, rule, signal }: LaunchParts): Promise<Launch> {
  const { address, name } = settings;
  const asWritten = { type: 'ready', settings, pin: undefined } as const;
  if (address.type !== 'stdio') return asWritten;
  const uvTool = findUvTool(address);
  if (uvTool !== undefined) return { ...asWritten, settings: { ...settings, address: { ...address, ...uvTool } } };
  const command = parsePackageCommand(address);
  if (command === undefined) return asWritten;
  const { cwd, env } = address;
  const { spec, bin, args } = command;
  const wish = { server: name, spec, isProgramName: bin === undefined, rule, cwd, env };
  const resolved = await resolvePackage(wish, host, signal);
  if (resolved.type === 'shadowed') return asWritten;
  if (resolved.type === 'failed') {
    const { message, said } = resolved;
    return { type: 'failed', failure: { kind: 'unavailable', message }, said };
  }
  const { installed } = resolved;
  const program = programOf(installed, { bin, args, cwd, env });
  // npx tells which programs the package has.
  if (program === undefined) return asWritten;
  const own: ServerAddress = { ...address, ...program };
  let pin: PackagePin | undefined;
  return { type: 'ready', settings: { ...settings, address: own }, pin: () => (pin ??= toPackagePin(installed)) };
}
