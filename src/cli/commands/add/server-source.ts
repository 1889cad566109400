import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readText } from '../../../platform/http/http-messages.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { findProgram } from '../../shared/board/programs.ts';
import type { AddPlan, AddSource, AddTarget } from './add-source.ts';
import { readBoardTools } from './board-tools.ts';
import { isOpenApi } from './file-source.ts';

const MAX_BYTES = 20_000_000;
const PATIENCE = 10_000;

/** `pegboard add https://…`: adds an MCP server, or the API of an OpenAPI document. */
export const urlSource: AddSource = {
  form: 'URL',
  summary: 'an MCP server, or an OpenAPI document',
  matches: (word) => /^https?:\/\//i.test(word),
  async plan(word, target, context) {
    const isNamed = /(?:\.(?:json|ya?ml)|openapi|swagger|api-docs)[^/]*$/i.test(new URL(word).pathname);
    const document = isNamed ? await fetchDocument(word, context) : undefined;
    if (document !== undefined && isOpenApi(document)) return planApi(word, document, { target, context });
    const plan = await planServer(word, target, context);
    // More than the usual note means that it did not answer as an MCP server: try it as a document.
    if (plan.notes.length <= 1 || isNamed) return plan;
    const other = await fetchDocument(word, context);
    return other !== undefined && isOpenApi(other) ? planApi(word, other, { target, context }) : plan;
  },
};

/** `pegboard add @scope/mcp-server`: adds an MCP server from npm. */
export const packageSource: AddSource = {
  form: '@SCOPE/PACKAGE',
  summary: 'an MCP server on npm',
  matches: (word) => /^@[\w.~-]+\/[\w.~-]+(?:@[\w.^~-]+)?$/.test(word),
  plan: planServer,
};

/** `pegboard add kubectl`: adds tools generated from a command's help. */
export const commandSource: AddSource = {
  form: 'COMMAND',
  summary: "tools generated from an installed command's help",
  hasParts: true,
  matches: (word, context) =>
    /^[\w./+-]+$/.test(word) && !word.startsWith('-') && findProgram(word, context) !== undefined,
  async plan(word, target, context) {
    const [{ readCommand }, { madeFolder, planMadeFile }, { findPack }, { packPath }] = await Promise.all([
      import('../import/import-cli.ts'),
      import('./made-file.ts'),
      import('../../../import/packs/packs.ts'),
      import('../../../import/packs/packs.ts'),
    ]);
    const made = await readCommand([word], { ...target.command, folder: madeFolder(target) }, context);
    const board = readBoardTools(target, context.cwd);
    const plan = planMadeFile(made, `the command ${word}`, { ...target, board });
    const pack = findPack(word);
    if (pack === undefined || board.files.has(packPath(pack))) return plan;
    const note = `There is a hand-written pack for ${word} with reviewed risks: pegboard add pack:${pack}`;
    return { ...plan, notes: [note, ...plan.notes] };
  },
};

async function planServer(word: string, { shown }: AddTarget, context: CliContext): Promise<AddPlan> {
  const [{ findServer }, { hideSecrets }, { describeServer, serversOf }] = await Promise.all([
    import('../../../features/servers/commands/find-server.ts'),
    import('../../../features/servers/commands/hide-secrets.ts'),
    import('../../../features/servers/commands/server-entry.ts'),
  ]);
  const path = resolve(context.cwd, shown);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const { name, entry, notes } = await findServer([word], {
    name: undefined,
    transport: undefined,
    command: 'add',
    context,
    given: new Map(),
    file: { shown, path, text },
  });
  if (hideSecrets(name, entry, new Map()).secrets.length > 0) {
    const message =
      'This address contains a secret. Add it with: pegboard mcp add URL, which keeps the secret out of the config file.';
    throw new ToolError({ code: 'invalid_arguments', message });
  }
  const known = serversOf({ shown, text });
  if (known[name] !== undefined) {
    const message = `${shown} already has a server "${name}". Use another name: pegboard mcp add ${word} --name NAME`;
    throw new ToolError({ code: 'already_exists', message });
  }
  return {
    summary: `the MCP server ${name} (${describeServer(entry)})`,
    files: [],
    changes: [{ section: 'mcpServers', set: { [name]: entry } }],
    isSilentAboutPaths: true,
    notes: [...notes, 'See its tools with: pegboard list --wait'],
    asks: true,
  };
}

async function planApi(
  url: string,
  document: unknown,
  { target, context: { env, cwd } }: { readonly target: AddTarget; readonly context: CliContext },
): Promise<AddPlan> {
  const [{ readOpenApi }, { planMadeFile }] = await Promise.all([
    import('../import/import-openapi.ts'),
    import('./made-file.ts'),
  ]);
  const made = await readOpenApi(document, { file: url, documentUrl: url, env });
  return planMadeFile(made, `the API of ${url}`, { ...target, board: readBoardTools(target, cwd) });
}

/** Fetches the document at an address; `undefined` if it cannot be read. */
async function fetchDocument(url: string, { signal }: CliContext): Promise<unknown> {
  const { parseDocument } = await import('../import/openapi-source.ts');
  try {
    const answer = await fetch(url, {
      headers: { accept: 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.1' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    if (!answer.ok || Number(answer.headers.get('content-length') ?? 0) > MAX_BYTES) return undefined;
    const text = answer.body === null ? '' : await readText(answer.body, MAX_BYTES);
    return text === undefined ? undefined : parseDocument(text, url);
  } catch (error) {
    if (signal.aborted) throw new ToolError({ code: 'cancelled', message: messageOf(error) });
    return undefined;
  }
}
