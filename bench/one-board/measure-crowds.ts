import { atMost, formatFigure } from '../report.ts';
import type { BenchPart } from './bench-part.ts';
import { measureBoard, measureDirect, officialServers, rawServers } from './count-crowd.ts';

const CLIENTS = 5;
const MANY = 20;
const MEGABYTE = 1_000_000;

/** Counts the processes of many clients with many servers, and their memory. */
export async function measureCrowds(): Promise<BenchPart> {
  const five = officialServers(import.meta.dirname);
  const ways = [
    ['without a gateway', await measureDirect(five, CLIENTS)],
    ['pegboard serve --standalone', await measureBoard(five, { clients: CLIENTS, options: ['--standalone'] })],
    ['pegboard serve', await measureBoard(five, { clients: CLIENTS })],
  ] as const;
  const many = await measureBoard(rawServers(MANY), { clients: MANY });
  const [, , [, ours]] = ways;
  return {
    table: {
      caption: `${CLIENTS} clients, each with ${Object.keys(five).length} servers from npm that it has called; and ${MANY} clients with ${MANY} small servers:`,
      head: ['Way', 'processes', 'of servers', 'MB of memory'],
      rows: [...ways, [`pegboard serve, ${MANY} × ${MANY}`, many] as const].map(
        ([name, { processes, memory, ...rest }]) => [
          name,
          String(processes),
          String(rest.servers),
          formatFigure(memory / MEGABYTE),
        ],
      ),
    },
    bars: [
      atMost(`${CLIENTS} clients with ${CLIENTS} servers are at most 12 processes`, ours.processes, {
        limit: 12,
        unit: 'processes',
      }),
      atMost('their memory is at most 800 MB', ours.memory / MEGABYTE, { limit: 800, unit: 'MB' }),
      atMost(`${MANY} clients with ${MANY} servers share ${MANY} processes of servers`, many.servers, {
        limit: MANY,
        unit: 'processes',
      }),
    ],
  };
}
