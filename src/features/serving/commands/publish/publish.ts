import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isPlainObject } from '../../../../tool/json.ts';
import { ToolError } from '../../../../tool/tool-error.ts';
import { formatJson } from '../../../../cli/shared/cli-context.ts';
import { defineCommand, FILES_ARGUMENT, flag, valueOption } from '../../../../cli/shared/command.ts';
import { UsageError } from '../../../../cli/shared/usage-error.ts';
import type { TextStyle } from '../../../../cli/shared/print/style.ts';
import { mergeServeSections } from '../serve/serve-settings.ts';
import { findPublishFaults, type PublishedBoard, writeServerJson } from './write-server-json.ts';

export const publish = defineCommand({
  name: 'publish',
  description:
    'Writes the server.json of the board for the MCP registry, from serve.publish, and lists the steps of publishing and what is missing. It sends nothing itself: mcp-publisher does.',
  arguments: [FILES_ARGUMENT],
  options: {
    'dry-run': flag('Print server.json and the steps, without writing'),
    output: valueOption('FILE', 'Write server.json to this file', { short: 'o' }),
    bundle: valueOption('FILE', 'The .mcpb file at the address serve.publish.bundle'),
  },
  examples: [
    ['pegboard publish --dry-run', 'see the entry for the registry'],
    ['pegboard publish --output server.json', 'for mcp-publisher publish'],
  ],
  parse({ values }) {
    if (values['dry-run'] === (values.output !== undefined)) {
      const message =
        'Pegboard does not publish by itself. Use --dry-run to preview, or --output server.json and then run: mcp-publisher publish';
      throw new UsageError(message, 'publish');
    }
  },
  board: { mode: 'look' },
  run({ values, context, board }) {
    const section = mergeServeSections(board.files);
    const file = board.files.at(-1);
    if (section.publish === undefined) {
      const message = `${file?.file ?? 'The board'} has no serve.publish section. Add serve: { publish: { name: io.github.YOU/${file?.name ?? 'board'}, url: https://… } }.`;
      throw new ToolError({ code: 'invalid_config', message });
    }
    // Variables of the file may contain secrets, and the entry is public.
    const said = { section, publish: section.publish, description: file?.description ?? '' };
    const published: PublishedBoard = {
      ...board.registry.executor.redactor.data(said),
      needs: [...new Set(board.files.flatMap(({ needs }) => needs))].toSorted(),
      bundleHash: values.bundle === undefined ? undefined : hashOf(resolve(context.cwd, values.bundle)),
      package: readPackage(dirname(resolve(context.cwd, file?.file ?? '.'))),
    };
    const server = writeServerJson(published);
    const faults = findPublishFaults(published);
    const steps = explainSteps(server);
    const isWritten = faults.length === 0 && values.output !== undefined;
    if (isWritten && values.output !== undefined)
      writeFileSync(resolve(context.cwd, values.output), `${JSON.stringify(server, undefined, 2)}\n`);
    return {
      data: { ok: faults.length === 0, server, faults, steps, written: isWritten },
      view: values['dry-run'] ? formatJson(server) : [],
      notes: (style) => describePlan({ faults, steps, output: values.output }, style),
      exitCode: faults.length === 0 ? 0 : 1,
    };
  },
});

interface PublishPlan {
  readonly faults: readonly string[];
  readonly steps: readonly string[];
  readonly output: string | undefined;
}

function describePlan({ faults, steps, output }: PublishPlan, style: TextStyle): string[] {
  if (faults.length > 0)
    return [...faults.map((fault) => `${style.red('missing')} ${fault}`), 'Correct this before you publish.'];
  return [
    ...(output === undefined ? [] : [`Wrote ${output}.`]),
    'Publishing would:',
    ...steps.map((step, index) => `${index + 1}. ${step}`),
  ];
}

/** Lists the steps of publishing, in order. */
function explainSteps({ name, version, packages, remotes }: Readonly<Record<string, unknown>>): string[] {
  const [namespace = ''] = String(name).split('/');
  const domain = namespace.split('.').toReversed().join('.');
  const login = /^io\.github\./i.test(namespace)
    ? `log you in as the owner of ${namespace}: mcp-publisher login github`
    : `check that ${domain} is yours: mcp-publisher login dns --domain ${domain}`;
  const list = (value: unknown): Readonly<Record<string, unknown>>[] =>
    Array.isArray(value) ? value.filter(isPlainObject) : [];
  return [
    login,
    ...list(packages).map(({ registryType, identifier }) =>
      registryType === 'npm'
        ? `look for "mcpName": "${String(name)}" in ${String(identifier)} on npm, where it must already be published`
        : `check that ${String(identifier)} can be downloaded and has this hash`,
    ),
    ...list(remotes).map(({ url }) => `list ${String(url)} for clients; no other server may have this address`),
    `send server.json to https://registry.modelcontextprotocol.io: mcp-publisher publish. The version ${String(version)} can never be changed again`,
  ];
}

function hashOf(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch (cause) {
    throw new ToolError({
      code: 'invalid_arguments',
      message: `${file} cannot be read. Create it with: pegboard bundle`,
      cause,
    });
  }
}

function readPackage(folder: string): PublishedBoard['package'] {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
