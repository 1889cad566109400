import { FEATURES, type Feature, type Outcome } from './features.ts';
import type { ClientReport, InteropResults } from './results.ts';
import { ASPECTS, type Share } from './servers/check-server.ts';
import type { ServerReport } from './servers/run.ts';

/** The page with the tables. */
export const INTEROP_PAGE = 'docs/interop.md';

/** The page with the tables of a run in it. */
export function fillInteropPage(page: string, { clients, servers, version, node }: InteropResults): string {
  const parts: Readonly<Record<string, string>> = {
    stamp: `Measured with Pegboard ${version} on Node ${node}.`,
    clients: showClients(clients),
    notes: showNotes(clients),
    servers: showServers(servers),
  };
  return page.replaceAll(/(?<=<!-- interop:(\w+) -->\n).*?(?=\n<!-- \/interop -->)/gs, (_, name) => {
    const part = parts[String(name)];
    if (part === undefined)
      throw new Error(`${INTEROP_PAGE}: there is no part "${name}". Use one of: ${Object.keys(parts).join(', ')}.`);
    return part;
  });
}

/** The table of clients. */
export function showClients(clients: readonly ClientReport[]): string {
  const rows = clients.map((client) => [
    client.name,
    `${client.package} ${client.version}`,
    showByWay(Object.entries(client.protocols)),
    ...FEATURES.map((feature) => showCell(client, feature)),
  ]);
  return toTable(['Client', 'Package', 'Protocol', ...FEATURES], rows);
}

/** The table of servers: how many of what a server has are the same through the board. */
export function showServers(servers: readonly ServerReport[]): string {
  const show = ({ all, same }: Share): string => (all === 0 ? '–' : `${same} of ${all}`);
  const rows = servers.map((server) => [
    `${server.package} ${server.version}`,
    ...ASPECTS.map((aspect) => show(server.shares[aspect])),
  ]);
  return toTable(['Server', ...ASPECTS], rows);
}

/** Lists the features that clients do not offer or that fail, with the reason. */
function showNotes(clients: readonly ClientReport[]): string {
  return clients
    .flatMap((client) => {
      const remarks = FEATURES.flatMap((feature) => remarkOn(client, feature));
      return remarks.length === 0 ? [] : [`- **${client.name}**: ${remarks.join(' ')}`];
    })
    .join('\n');
}

function remarkOn({ ways, faults }: ClientReport, feature: Feature): string[] {
  const remarks = Object.entries(ways).flatMap(([way, outcomes]) => {
    const outcome = outcomes[feature];
    if (outcome?.type === 'fails') return [`${feature} fails over ${way}: ${faults[feature] ?? outcome.message}`];
    return outcome?.type === 'not offered' ? [`${feature}: ${outcome.why}`] : [];
  });
  return [...new Set(remarks)];
}

function showCell({ ways }: ClientReport, feature: Feature): string {
  return showByWay(Object.entries(ways).map(([way, outcomes]) => [way, showOutcome(outcomes[feature])] as const));
}

/** One word for all ways, or one for each where they differ. */
function showByWay(words: readonly (readonly [way: string, word: string])[]): string {
  const [first] = words;
  if (words.every(([, word]) => word === first?.[1])) return first?.[1] ?? '';
  return words.map(([way, word]) => `${way} ${word}`).join(', ');
}

function showOutcome(outcome: Outcome | undefined): string {
  switch (outcome?.type) {
    case undefined:
      return '';
    case 'works':
      return outcome.remark ?? '✓';
    case 'not offered':
      return '–';
    case 'fails':
      return '✗';
    default:
      return outcome satisfies never;
  }
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
