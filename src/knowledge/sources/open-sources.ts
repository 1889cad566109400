import type { PlannedSource } from './planned-source.ts';
import { openRepository } from './git/repository.ts';
import type { OpenedSource, SourceResources } from './source.ts';
import { openSite } from './web/crawl.ts';
import { HostGate } from './web/host-gate.ts';

/** Opens sources for one run. Fetches nothing yet. */
export function openSources(sources: readonly PlannedSource[], resources: SourceResources): OpenedSource[] {
  const shared = { records: resources.records, gate: new HostGate(), robots: new Map() };
  return sources.map((plan) =>
    plan.kind === 'git'
      ? openRepository(plan, resources)
      : openSite(plan, { ...shared, client: resources.httpClient(plan.allowHosts) }),
  );
}
