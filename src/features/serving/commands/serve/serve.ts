import {
  defineCommand,
  FILE_OPTION,
  FILES_ARGUMENT,
  flag,
  type OptionSpecs,
  valueOption,
} from '../../../../cli/shared/command.ts';
import { parseChoice, parsePort } from '../../../../cli/shared/parse-values.ts';
import { UsageError } from '../../../../cli/shared/usage-error.ts';
import { CLIENT_NAMES } from '../../../../cli/shared/clients/client-names.ts';

const MODES = ['classic', 'discovery', 'code', 'auto'] as const;

const OPTIONS = {
  ...FILE_OPTION,
  http: flag('Serve over HTTP, at /mcp, /health, /ready and /metrics'),
  stdio: flag('Serve over stdio, even if the file has serve.http: true'),
  host: valueOption('HOST', 'The address to listen on (default: 127.0.0.1)'),
  port: valueOption('PORT', 'The port to listen on (default: 7331; 0 for any free port)'),
  token: valueOption(
    'TOKEN',
    'Require this token from clients (or set PEGBOARD_TOKEN; default: one is created and stored)',
  ),
  'no-token': flag('Let every process on this machine connect without a token'),
  'show-token': flag("Print this board's own token"),
  'metrics-open': flag('Allow access to /metrics without a token'),
  mode: valueOption('MODE', `The tools that clients see: ${MODES.join(', ')} (default: auto)`, { choices: MODES }),
  compat: valueOption('climax', 'Name the meta-tools as CLImax does', { choices: ['climax'] }),
  standalone: flag('Open the board in this process, instead of attaching to the one of this machine'),
  shared: flag('Be the board of this machine: pegboard serve starts it, and attaches to it'),
  watch: flag('Reload when a config file changes; the board of a machine always does'),
  inspect: flag('With --http: show calls and approvals in the browser; prints a link'),
  eager: flag('Start the MCP servers of the board immediately'),
  'print-config': valueOption('CLIENT', "Print the entry for a client's config: claude, cursor, vscode, …", {
    choices: CLIENT_NAMES,
  }),
  install: flag("Write the entry to the client's file, after asking"),
  yes: flag('Install without asking', 'y'),
  'new-token': flag('Print a new token and its hash'),
} as const satisfies OptionSpecs;

/** Options that a client's entry does not keep: they concern the entry itself, a server over HTTP, or another answer. */
const NOT_FOR_CLIENTS: ReadonlySet<string> = new Set([
  'file',
  'print-config',
  'install',
  'yes',
  'new-token',
  'show-token',
  'http',
  'host',
  'port',
  'token',
  'no-token',
  'metrics-open',
  'inspect',
  'shared',
]);

export const serve = defineCommand({
  name: 'serve',
  description:
    'Serves the tools to MCP clients over stdio, or over HTTP with --http. A .ts or .js file serves the tools that it exports. Without a config file, serves the built-in example.',
  arguments: [FILES_ARGUMENT],
  options: OPTIONS,
  examples: [
    ['pegboard serve', 'over stdio, for a client that starts it'],
    ['pegboard serve --http --port 7331', 'over HTTP, for this machine'],
    ['pegboard serve tools.ts', 'the tools that a file exports'],
    ['pegboard serve --show-token', 'the token for clients over HTTP'],
    ['pegboard serve --print-config cursor --install', 'add the board to a client'],
    ['pegboard serve --mode discovery --print-config codex', 'the entry of a client, with an option of the server'],
  ],
  async run({ values, positionals, json, context }) {
    const files = [...positionals, ...values.file];
    if (values['new-token']) {
      const { makeToken } = await import('./board-token.ts');
      return makeToken();
    }
    if (values.stdio && values.http) throw new UsageError('--stdio and --http cannot be used together.', 'serve');
    if (values.shared && values.http) throw new UsageError('--shared and --http cannot be used together.', 'serve');
    const noToken = values['no-token'];
    if (noToken && values.token !== undefined)
      throw new UsageError('--no-token and --token cannot be used together.', 'serve');
    if (values['show-token']) {
      const { showToken } = await import('./board-token.ts');
      return showToken(files, context);
    }
    const mode =
      values.mode === undefined ? undefined : parseChoice(values.mode, MODES, { option: '--mode', command: 'serve' });
    const compat =
      values.compat === undefined
        ? undefined
        : parseChoice(values.compat, ['climax'], { option: '--compat', command: 'serve' });
    if (values['print-config'] !== undefined) {
      const named = { option: '--print-config', command: 'serve' };
      const client = parseChoice(values['print-config'], CLIENT_NAMES, named);
      const { toFlags } = await import('../../../../cli/shared/clients/board-entry.ts');
      const { printClientConfig } = await import('./print-client-config.ts');
      const { install, yes, http, stdio, host, port, token } = values;
      const flags = toFlags(OPTIONS, values, NOT_FOR_CLIENTS);
      const given = { install, yes, http, stdio, host, port, token, noToken, flags };
      return printClientConfig(client, { ...given, files, json, context });
    }
    if (values.install) throw new UsageError('--install needs --print-config CLIENT.', 'serve');
    const { serveBoard } = await import('./serve-board.ts');
    return serveBoard(files, {
      context,
      mode,
      compat,
      json,
      http: values.http,
      stdio: values.stdio,
      host: values.host,
      port: parsePort(values.port, 'serve'),
      token: noToken ? undefined : (values.token ?? (context.env['PEGBOARD_TOKEN'] || undefined)),
      noToken,
      metricsOpen: values['metrics-open'],
      watch: values.watch,
      inspect: values.inspect,
      shared: values.shared,
      eager: values.eager,
    });
  },
});
