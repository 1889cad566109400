import { isSecretName } from '../../../../guard/secrets/secret-names.ts';
import type { ServeSection } from '../serve/serve-settings.ts';
import { describePublished } from '../serve/to-server-card.ts';

type Publish = NonNullable<ServeSection['publish']>;

/** The parts of a board that are published. */
export interface PublishedBoard {
  readonly section: ServeSection;
  readonly publish: Publish;
  /** The description in its file. */
  readonly description: string;
  /** The variables that its config needs. */
  readonly needs: readonly string[];
  /** The hash of the .mcpb file at the address `publish.bundle`. */
  readonly bundleHash: string | undefined;
  /** The package.json beside the board. */
  readonly package: Readonly<Record<string, unknown>> | undefined;
}

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** Creates the `server.json` of a board for the MCP registry. */
export function writeServerJson(board: PublishedBoard): Record<string, unknown> {
  const { publish, section, needs, bundleHash } = board;
  const { icons, ...about } = describePublished(publish, board.description);
  const variables = needs.map((name) => ({
    name,
    description: `The variable ${name} of the board`,
    isRequired: true,
    isSecret: isSecretName(name),
  }));
  const start = {
    transport: { type: 'stdio' },
    ...(variables.length === 0 ? {} : { environmentVariables: variables }),
  };
  const packages = [
    ...(publish.package === undefined
      ? []
      : [
          {
            registryType: 'npm',
            identifier: publish.package,
            version: about.version,
            runtimeHint: 'npx',
            ...start,
          },
        ]),
    ...(publish.bundle === undefined
      ? []
      : [{ registryType: 'mcpb', identifier: publish.bundle, fileSha256: bundleHash, ...start }]),
  ];
  const token = { name: 'Authorization', description: 'Bearer and a token', isRequired: true, isSecret: true };
  const remotes =
    publish.url === undefined
      ? []
      : // With OAuth, clients find out by themselves; other tokens must be given.
        [{ type: 'streamable-http', url: publish.url, ...(section.oauth === undefined ? { headers: [token] } : {}) }];
  // The registry accepts only https images.
  const shown = icons?.filter(({ src }) => src.startsWith('https:') && src.length <= 255) ?? [];
  return {
    $schema: SCHEMA,
    ...Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined)),
    ...(shown.length === 0 ? {} : { icons: shown }),
    ...(packages.length === 0 ? {} : { packages }),
    ...(remotes.length === 0 ? {} : { remotes }),
  };
}

/** Finds the problems that prevent publishing, each with its fix. */
export function findPublishFaults(board: PublishedBoard): string[] {
  const { publish, bundleHash, package: own } = board;
  const { version = '0.1.0', url, bundle, name } = publish;
  const [namespace = ''] = name.split('/');
  const user = /^io\.github\.(.+)$/i.exec(namespace)?.[1];
  const owner = /^https:\/\/github\.com\/([^/]+)/i.exec(publish.repository ?? '')?.[1];
  const hosts = /^https:\/\/(?:github|gitlab)\.com\//;
  return [
    ...(publish.package === undefined && url === undefined && bundle === undefined
      ? ['Clients cannot reach the board: set serve.publish.url, package or bundle.']
      : []),
    ...(url !== undefined && !isPublicAddress(url)
      ? [`serve.publish.url must be a public https address. The registry refuses ${url}.`]
      : []),
    ...(bundle !== undefined && !hosts.test(bundle)
      ? ['serve.publish.bundle must be a release at https://github.com or https://gitlab.com.']
      : []),
    ...(bundle !== undefined && bundleHash === undefined
      ? ['The hash of the bundle is missing. Name the file with --bundle FILE.']
      : []),
    ...(user !== undefined && owner !== undefined && user.toLowerCase() !== owner.toLowerCase()
      ? [`The namespace ${namespace} belongs to ${user} at GitHub, but the repository belongs to ${owner}.`]
      : []),
    ...(publish.package === undefined ? [] : findPackageFaults(publish.package, { name, version, own })),
  ];
}

function findPackageFaults(
  wanted: string,
  { name, version, own }: { readonly name: string; readonly version: string; readonly own: PublishedBoard['package'] },
): string[] {
  if (own === undefined) return [`There is no package.json beside the board: the registry looks for ${wanted} on npm.`];
  return [
    ...(own['name'] === wanted ? [] : [`package.json has the name ${JSON.stringify(own['name'])}, not "${wanted}".`]),
    ...(own['mcpName'] === name
      ? []
      : [`package.json must have "mcpName": "${name}", which proves to the registry that the package is yours.`]),
    ...(own['version'] === version
      ? []
      : [`package.json has the version ${JSON.stringify(own['version'])}, serve.publish has "${version}".`]),
  ];
}

function isPublicAddress(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' && hostname.includes('.') && !/^[\d.]+$|^\[|\.local(?:host)?$/.test(hostname);
}
