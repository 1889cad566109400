import { basename, dirname, resolve } from 'node:path';
import { loadConfig } from '../../config/load-config.ts';
import type { LoadedFile } from '../../config/loaded-file.ts';
import { askYesOrNo } from '../ask-person.ts';
import { canAsk, type CliContext, printJson, printLine } from '../cli-context.ts';
import { findConfig } from '../find-config.ts';
import { parseChoice } from '../parse-values.ts';
import { UsageError } from '../usage-error.ts';
import {
  CLIENT_CONFIGS,
  type ClientConfig,
  configFileOf,
  formatClientConfig,
  type ServerEntry,
} from './client-configs.ts';
import { type PlannedInstall, planInstall } from './install-config.ts';
import { mergeServeSections } from './serve-settings.ts';

interface PrintOptions {
  readonly files: readonly string[];
  readonly install: boolean;
  readonly yes: boolean;
  readonly http: boolean;
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly token: string | undefined;
  readonly json: boolean;
  readonly context: CliContext;
}

/** Prints what a client needs to know of the board, or writes it into the client's file. */
export async function printClientConfig(wanted: string, options: PrintOptions): Promise<number> {
  const { context, json } = options;
  const name = parseChoice(wanted, Object.keys(CLIENT_CONFIGS), { option: '--print-config', command: 'serve' });
  const client = CLIENT_CONFIGS[name];
  if (client === undefined) return 1;
  const files = findConfig(options.files, context.cwd).map((file) => resolve(context.cwd, file));
  const { files: loaded } = loadConfig(files, context);
  const needs = options.http ? [] : [...new Set(loaded.flatMap((file) => file.needs))].toSorted();
  const server = toEntry(files, { ...options, env: needs.map((need) => [need, standIn(client, need)]) });
  const board = nameOf(files, loaded);
  const tell = (): void => {
    if (needs.length > 0) printLine(context.stderr, explainNeeds(client, needs, configFileOf(client, context.cwd)));
  };
  if (!options.install) {
    if (json)
      printJson(context, {
        client: name,
        file: configFileOf(client, context.cwd),
        text: formatClientConfig(client, board, server),
        needs,
      });
    else printLine(context.stdout, formatClientConfig(client, board, server));
    if (!json && context.stderr.isTTY === true)
      printLine(context.stderr, `For ${client.title}: ${configFileOf(client, context.cwd)}`);
    tell();
    return 0;
  }
  const plan = planInstall(client, configFileOf(client, context.cwd), { name: board, server });
  if (!options.yes && !(await isAgreed(plan, { title: client.title, board, context }))) {
    printLine(context.stderr, 'Nothing was written.');
    return 1;
  }
  const copy = plan.write();
  if (json) printJson(context, { written: plan.file, needs, ...(copy === undefined ? {} : { backup: copy }) });
  else
    printLine(
      context.stdout,
      `Wrote ${plan.file}${copy === undefined ? '' : ` (before: ${copy})`}. Restart ${client.title} to see the tools.`,
    );
  tell();
  return 0;
}

async function isAgreed(
  plan: PlannedInstall,
  { title, board, context }: { readonly title: string; readonly board: string; readonly context: CliContext },
): Promise<boolean> {
  if (!canAsk(context)) {
    throw new UsageError(
      '--install asks before it writes, and nobody can be asked here. Add --yes to write at once.',
      'serve',
    );
  }
  const what = plan.replaces ? `Replace "${board}" in` : `Add "${board}" to`;
  return askYesOrNo(context, { message: `${what} ${title}'s ${plan.file}?`, initialValue: true });
}

function toEntry(
  files: readonly string[],
  {
    http,
    host = '127.0.0.1',
    port = '7331',
    token,
    env,
  }: PrintOptions & { readonly env: readonly (readonly [string, string])[] },
): ServerEntry {
  if (!http) {
    const entry = { command: 'npx', args: ['-y', 'pegboard', 'serve', ...files] };
    return env.length === 0 ? entry : { ...entry, env: Object.fromEntries(env) };
  }
  const url = `http://${host}:${port}/mcp`;
  return { url, ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }) };
}

/** What stands for a variable's value, which is never written: it may be a secret. */
function standIn({ reference }: ClientConfig, name: string): string {
  return reference?.(name) ?? `YOUR_${name}`;
}

function explainNeeds(client: ClientConfig, needs: readonly string[], file: string): string {
  const names = needs.join(', ');
  const them = needs.length === 1 ? 'it' : 'them';
  if (client.reference !== undefined) return `The board needs ${names}: set ${them} where ${client.title} is started.`;
  const places = needs.map((name) => standIn(client, name)).join(', ');
  return `The board needs ${names}: write the value in place of ${places} in ${file}.`;
}

/** What the board is called in the client: what its files say, otherwise its folder, or its file where that says more. */
function nameOf(files: readonly string[], loaded: readonly LoadedFile[]): string {
  const [file = ''] = files;
  const own = basename(file).replace(/\.(?:ya?ml|json)$/, '');
  const said = mergeServeSections(loaded).name ?? loaded.at(-1)?.name ?? own;
  // A file that says nothing is called like itself.
  const name = said === 'pegboard' ? basename(dirname(file)) : said;
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'pegboard';
}
