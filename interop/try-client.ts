// Tries the clients of one file, in a process of their own: node try-client.ts FILE, with the command of pegboard as JSON. The
// parent process gets a report of each.
import { createApprover } from './approver.ts';
import { serveBoard } from './board.ts';
import { checkClient } from './check-client.ts';
import { loadClients } from './clients/list.ts';
import { FEATURES, type Outcomes, type Way } from './features.ts';
import { saysWhatFailed } from './look-inside.ts';
import { packageOf } from './package-of.ts';
import type { ClientReport } from './results.ts';

const [, , file = '', pegboard = '[]'] = process.argv;
const target = await serveBoard(JSON.parse(pegboard));
const approver = await createApprover(target.file);
for (const client of await loadClients(file)) {
  const ways: Partial<Record<Way, Outcomes>> = {};
  const protocols: Partial<Record<Way, string>> = {};
  for (const way of client.ways) {
    try {
      const tried = await checkClient(client, way, { target, answerElsewhere: approver.answer });
      ways[way] = tried.outcomes;
      if (tried.protocol !== undefined) protocols[way] = tried.protocol;
    } catch (error) {
      const failed = { type: 'fails', message: `It did not connect: ${saysWhatFailed(error)}` } as const;
      ways[way] = Object.fromEntries(FEATURES.map((feature) => [feature, failed]));
    }
  }
  const { name, package: packageName, faults = {} } = client;
  const version = packageOf(packageName)?.version ?? '';
  process.send?.({ name, package: packageName, version, protocols, ways, faults } satisfies ClientReport);
}
await approver.close();
await target.close();
// Some clients keep timers and connections.
process.disconnect?.();
process.exit();
