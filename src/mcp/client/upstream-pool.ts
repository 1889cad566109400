import type { ServerSettings } from './server-settings.ts';
import type { UpstreamResources } from './upstream-resources.ts';
import type { UserAuth } from './oauth/user-auth.ts';
import { PackageInstalls } from './packages/package-installs.ts';
import { SharedServer } from './shared-server.ts';

export interface PoolHost {
  readonly createResources: () => UpstreamResources;
  /** Creates the logins of a server's users, if each logs in. Default: all use the board's login. */
  readonly usersOf?: ((settings: ServerSettings, resources: UpstreamResources) => UserAuth | undefined) | undefined;
}

/** The servers of a board; they survive a reload of its files. */
export class UpstreamPool {
  readonly installs: PackageInstalls = new PackageInstalls();
  readonly #servers = new Map<string, SharedServer>();
  readonly #leaving = new Set<SharedServer>();

  /** Returns the server with exactly these settings, or creates it. */
  take(settings: ServerSettings, { createResources, usersOf }: PoolHost): SharedServer {
    const id = JSON.stringify({ ...settings, idle: String(settings.idle) });
    let server = this.#servers.get(id);
    if (server === undefined) {
      const resources = createResources();
      server = new SharedServer(settings, resources, usersOf?.(settings, resources));
      this.#servers.set(id, server);
    }
    return server;
  }

  /** Ends all other servers after their calls. */
  keepOnly(wanted: Iterable<SharedServer>): void {
    const kept = new Set(wanted);
    for (const [id, server] of this.#servers) {
      if (kept.has(server)) continue;
      this.#servers.delete(id);
      this.#leaving.add(server);
      void server.retire().finally(() => this.#leaving.delete(server));
    }
  }

  async close(): Promise<void> {
    const all = [...this.#servers.values(), ...this.#leaving];
    this.#servers.clear();
    await Promise.all([...all.map((server) => server.close()), this.installs.close()]);
  }
}
