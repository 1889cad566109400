import { isForModels } from '../../../../tool/app-pages.ts';
import { isDiscoveryTool, isHelperTool } from '../../../../tool/tool-marks.ts';
import { isSecretName } from '../../../../guard/secrets/secret-names.ts';
import type { Board } from '../../../../board/board.ts';
import type { ServeSection } from '../serve/serve-settings.ts';
import { toSlug } from '../serve/to-server-card.ts';

/** The paths of the parts inside a bundle. */
export const PLACES = {
  entry: 'server/node_modules/pegboard/dist/cli.js',
  server: 'server/',
  board: 'board/',
} as const;

interface ManifestParts {
  readonly board: Pick<Board, 'registry' | 'files'>;
  readonly section: ServeSection;
  /** The config file, relative to the board's folder. */
  readonly config: string;
  /** The variables that the config needs. */
  readonly needs: readonly string[];
  readonly author: string;
}

/** Creates the `manifest.json` of a bundle (MCPB 0.3): the host starts the board with Node, and asks the user for the variables. */
export function writeManifest({ board, section, config, needs, author }: ManifestParts): Record<string, unknown> {
  const { publish } = section;
  const file = board.files.at(-1);
  const own = section.name ?? file?.name ?? 'board';
  const description = publish?.description ?? (file?.description || `The tools of ${own}`);
  const shown = board.registry
    .getAll()
    .filter((tool) => !isDiscoveryTool(tool) && !isHelperTool(tool) && isForModels(tool));
  const settings = needs.map((name) => [name.toLowerCase(), name] as const);
  return {
    manifest_version: '0.3',
    name: toSlug(publish?.name.split('/').at(-1) ?? own).toLowerCase(),
    display_name: publish?.title ?? own,
    version: publish?.version ?? '0.1.0',
    description,
    author: { name: author },
    ...(publish?.repository === undefined ? {} : { repository: { type: 'git', url: publish.repository } }),
    ...(publish?.website === undefined ? {} : { homepage: publish.website }),
    server: {
      type: 'node',
      entry_point: PLACES.entry,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${PLACES.entry}`, 'serve', `\${__dirname}/${PLACES.board}${config}`],
        env: Object.fromEntries(settings.map(([key, name]) => [name, `\${user_config.${key}}`])),
      },
    },
    tools: shown.map(({ metadata }) => ({ name: metadata.name, description: metadata.description })),
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=22.13.0' } },
    ...(settings.length === 0 ? {} : { user_config: Object.fromEntries(settings.map(toSetting)) }),
  };
}

function toSetting([key, name]: readonly [string, string]): [string, object] {
  const description = `The variable ${name} of the board`;
  return [key, { type: 'string', title: name, description, required: true, sensitive: isSecretName(name) }];
}
