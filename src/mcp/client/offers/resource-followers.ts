import type { ServerProcess } from '../server-commons.ts';
import type { UpstreamServer } from '../upstream-server.ts';

/** One who hears of changes of a resource on a process. */
interface Follower {
  readonly server: UpstreamServer;
  readonly uri: string;
  readonly hear: () => void;
}

/** Those who follow resources of a server, each on the process of its caller. */
export class ResourceFollowers {
  readonly #followers = new Set<Follower>();

  /** Follows a resource until the function that it gives is called. Rejects when the process cannot be started. */
  async add(server: UpstreamServer, uri: string, hear: () => void): Promise<() => void> {
    const follower = { server, uri, hear };
    this.#followers.add(follower);
    try {
      const stop = await server.followResource(uri);
      return () => {
        if (this.#followers.delete(follower)) stop();
      };
    } catch (error) {
      this.#followers.delete(follower);
      throw error;
    }
  }

  /** A process says that a resource changed. */
  tell(server: ServerProcess, uri: string): void {
    for (const follower of this.#followers) if (follower.server === server && follower.uri === uri) follower.hear();
  }
}
