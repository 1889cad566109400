import { type NamedSecret, namedSecretsIn } from '../../guard/secrets/secret-names.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import type { ConfiguredServer } from '../servers/read-servers.ts';

/** A secret that a command or a server is handed, and who hands it. */
export interface PassedSecret extends NamedSecret {
  readonly file: LoadedFile;
  readonly path: readonly (string | number)[];
}

/** The values that servers are handed from the environment under names of secrets. */
export function serverSecrets(servers: readonly ConfiguredServer[]): PassedSecret[] {
  return servers.flatMap(({ settings: { address }, file, path }) =>
    Object.entries(address.type === 'stdio' ? address.env : {}).flatMap(([name, value]) =>
      namedSecretsIn(name, value).map((secret) => ({ ...secret, file, path })),
    ),
  );
}

/** The password in an address, as it is written there and as it is meant. */
export function passwordsOf(url: string): string[] {
  const password = URL.canParse(url) ? new URL(url).password : '';
  return password === '' ? [] : [password, decodeURIComponent(password)];
}
