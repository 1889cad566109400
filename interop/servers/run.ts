import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serveBoard } from '../board.ts';
import { packageOf } from '../package-of.ts';
import { checkServer, type ServerOutcome } from './check-server.ts';
import { SERVERS } from './list.ts';
import { makePlaces } from './place.ts';
import { openDirect, openThroughBoard } from './sides.ts';

/** The report on one server. */
export interface ServerReport extends ServerOutcome {
  readonly name: string;
  readonly package: string;
  readonly version: string;
}

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'];

/** Tries the servers with these names; those whose package is not installed are left out. */
export async function runServers(
  pegboard: readonly string[],
  { only, log }: { readonly only: readonly string[]; readonly log: (text: string) => void },
): Promise<ServerReport[]> {
  const chosen = SERVERS.flatMap((server) => {
    const found = packageOf(server.package);
    return found === undefined || !only.includes(server.name)
      ? []
      : [{ server, found, script: join(found.folder, server.script) }];
  });
  if (chosen.length === 0) return [];
  const places = await makePlaces(BROWSERS.find((path) => existsSync(path)) ?? 'chromium');
  const place = places.of('board');
  const mcpServers = Object.fromEntries(
    chosen.map(({ server, script }) => [
      server.name,
      {
        command: process.execPath,
        args: [script, ...(server.args?.(place) ?? [])],
        env: { HOME: place.own, ...server.env?.(place) },
        cwd: place.own,
        timeout: '2m',
        start_timeout: '3m',
      },
    ]),
  );
  const board = await serveBoard(pegboard, { name: 'interop', serve: { mode: 'classic' }, mcpServers });
  try {
    const reports: ServerReport[] = [];
    for (const { server, found, script } of chosen) {
      const direct = await openDirect(server, script, places.of('direct'));
      const through = await openThroughBoard(board, server.name);
      try {
        const outcome = await checkServer(server, { direct, board: through, place });
        reports.push({ name: server.name, package: server.package, version: found.version, ...outcome });
        log(`${server.package} ${found.version}: ${outcome.differences.length} differences`);
      } finally {
        await direct.client.close();
        await through.client.close();
      }
    }
    return reports;
  } finally {
    await board.close();
    places.close();
  }
}
