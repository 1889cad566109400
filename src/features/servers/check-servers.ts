import { secretsIn } from '../../guard/secrets/secret-names.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { FeatureCheck } from '../../load/features/feature-host.ts';
import type { Placed } from '../../load/features/section.ts';
import { readServers } from './read-servers.ts';
import type { WrittenServers } from './server-sections.ts';

/** Finds faults of servers, and names the secrets of the environment that they get. */
export function checkServers(
  written: Placed<WrittenServers> | undefined,
  context: FeatureCheck,
): readonly Diagnostic[] {
  const { servers, diagnostics } = readServers(written, context);
  for (const { settings, at } of servers) {
    const { address } = settings;
    for (const [name, value] of Object.entries(address.type === 'stdio' ? address.env : {})) {
      for (const secret of secretsIn(name, value)) context.addSecret({ name, value: secret }, at);
    }
  }
  return diagnostics;
}
