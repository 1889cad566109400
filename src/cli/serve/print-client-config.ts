import { basename, dirname, resolve } from 'node:path';
import { loadConfig } from '../../config/load-config.ts';
import { canAsk, type CliContext, printJson, printLine } from '../cli-context.ts';
import { findConfig } from '../find-config.ts';
import { parseChoice } from '../parse-values.ts';
import { promptOutput } from '../prompt-output.ts';
import { UsageError } from '../usage-error.ts';
import { CLIENT_CONFIGS, configFileOf, formatClientConfig, type ServerEntry } from './client-configs.ts';
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
  const server = toEntry(files, options);
  const board = nameOf(files, context);
  if (!options.install) {
    if (json)
      printJson(context, {
        client: name,
        file: configFileOf(client, context.cwd),
        text: formatClientConfig(client, board, server),
      });
    else printLine(context.stdout, formatClientConfig(client, board, server));
    if (!json && context.stderr.isTTY === true)
      printLine(context.stderr, `For ${client.title}: ${configFileOf(client, context.cwd)}`);
    return 0;
  }
  const plan = planInstall(client, configFileOf(client, context.cwd), { name: board, server });
  if (!options.yes && !(await isAgreed(plan, { title: client.title, board, context }))) {
    printLine(context.stderr, 'Nothing was written.');
    return 1;
  }
  const copy = plan.write();
  if (json) printJson(context, { written: plan.file, ...(copy === undefined ? {} : { backup: copy }) });
  else
    printLine(
      context.stdout,
      `Wrote ${plan.file}${copy === undefined ? '' : ` (before: ${copy})`}. Restart ${client.title} to see the tools.`,
    );
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
  const { confirm } = await import('@clack/prompts');
  const what = plan.replaces ? `Replace "${board}" in` : `Add "${board}" to`;
  const answer = await confirm({
    message: `${what} ${title}'s ${plan.file}?`,
    input: context.stdin,
    output: promptOutput(context.stderr),
    signal: context.signal,
  });
  return answer === true;
}

function toEntry(
  files: readonly string[],
  { http, host = '127.0.0.1', port = '7331', token }: PrintOptions,
): ServerEntry {
  if (!http) return { command: 'npx', args: ['-y', 'pegboard', 'serve', ...files] };
  const url = `http://${host}:${port}/mcp`;
  return { url, ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }) };
}

/** What the board is called in the client: what its files say, otherwise its folder, or its file where that says more. */
function nameOf(files: readonly string[], { cwd, env }: CliContext): string {
  const { files: loaded } = loadConfig(files, { cwd, env });
  const [file = ''] = files;
  const own = basename(file).replace(/\.(?:ya?ml|json)$/, '');
  const said = mergeServeSections(loaded).name ?? loaded.at(-1)?.name ?? own;
  // A file that says nothing is called like itself.
  const name = said === 'pegboard' ? basename(dirname(file)) : said;
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'pegboard';
}
