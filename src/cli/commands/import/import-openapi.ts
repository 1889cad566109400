import { basename } from 'node:path';
import { isPlainObject } from '../../../tool/json.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { escapeDocument, unescapeKeys, unescapeText } from '../../../tool/texts/escape-variables.ts';
import type {
  ImportOpenApiOptions,
  OperationSelection,
  SharedSettings,
  SharingTool,
} from '../../../import/openapi/import-open-api.ts';
import type { ServerChoice } from '../../../import/openapi/server-url.ts';
import { beforeWriting } from '../../shared/board/change-board.ts';
import { defineCommand, listOption, valueOption } from '../../shared/command.ts';
import { UsageError } from '../../shared/usage-error.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { clearLine } from '../../shared/print/gate-output.ts';
import { type MadeConfig, WRITE_OPTIONS, writeYaml } from './write-yaml.ts';

const COMMAND = 'import openapi';
const WHAT = 'tag:NAME, path:/users/* or op:NAME; * matches anything';

export const importOpenapi = defineCommand({
  name: COMMAND,
  description:
    'Writes an http tool for each operation of an OpenAPI document (2.0, also called Swagger, to 3.2). Notes about what does not fit into a tool go to stderr.',
  arguments: [{ name: 'FILE|URL', description: 'The document, in JSON or YAML', required: true }],
  options: {
    only: listOption('WHAT', `Only ${WHAT}`),
    exclude: listOption('WHAT', `Without ${WHAT}`),
    include: listOption('WHAT', 'Same as --only'),
    server: listOption(
      'SERVER',
      "The API's server: an address, the number of one of the document's servers, or NAME=VALUE for a variable in it",
    ),
    'base-url': valueOption('URL', 'Same as --server URL'),
    header: listOption('HEADER', "Send 'Name: value' when fetching the document"),
    name: valueOption('NAME', "The name of the API (default: the document's title)"),
    ...WRITE_OPTIONS,
  },
  examples: [
    ['pegboard import openapi petstore.json --out petstore.yaml', 'every operation'],
    [
      "pegboard import openapi https://api.example.com/openapi.json --only tag:issues --only 'path:/repos/*' -o api.yaml",
      'some of them',
    ],
    [
      'pegboard import openapi petstore.json --out petstore.yaml --update',
      'later, to add what changed and keep your edits',
    ],
  ],
  async run({ values, positionals: [source = ''], context }) {
    const isUrl = /^https?:\/\//i.test(source);
    if (values.header.length > 0 && !isUrl)
      throw new UsageError('--header only applies to documents at an address.', COMMAND);
    const { readDocument } = await import('./openapi-source.ts');
    const only = [...values.only, ...values.include];
    const { made, notes } = await beforeWriting(context, async () => {
      const { document, url, notes: read } = await readDocument(source, readHeaders(values.header), context);
      const options = {
        file: url ?? source,
        name: values.name,
        include: toSelection(only),
        exclude: toSelection(values.exclude),
        documentUrl: url,
        env: context.env,
        ...readServers([...values.server, ...(values['base-url'] === undefined ? [] : [values['base-url']])]),
        ...progress(context),
      };
      return { made: await readOpenApi(document, options), notes: read };
    });
    const words = [
      ...only.flatMap((word) => ['--only', word]),
      ...values.exclude.flatMap((word) => ['--exclude', word]),
    ];
    const chosen = words.map((word) => (/[^\w:/.=-]/.test(word) ? ` '${word}'` : ` ${word}`)).join('');
    const remarks = made.remarks.map((remark, index) => (index === 0 ? `${remark}${chosen}` : remark));
    const answer = writeYaml({ ...made, remarks, notes: [...notes, ...made.notes] }, values, context);
    return { ...answer, exitCode: made.data.tools.length === 0 ? 1 : 0 };
  },
});

interface ReadOptions extends ImportOpenApiOptions {
  /** The file or address of the document. */
  readonly file: string;
  readonly name?: string | undefined;
  /** The environment, to warn about variables that are set. Default: none */
  readonly env?: CliContext['env'];
}

/** Generates a config file with a tool for each operation of an OpenAPI document. */
export async function readOpenApi(
  document: unknown,
  { file, name, env = {}, ...options }: ReadOptions,
): Promise<MadeConfig> {
  const [{ importOpenApi }, { shareSettings }] = await Promise.all([
    import('../../../import/openapi/import-open-api.ts'),
    import('../../../import/openapi/import-open-api.ts'),
  ]);
  let deceiving = 0;
  const escaped = escapeDocument(document, () => deceiving++);
  const { tools, origins, operations, notes } = importOpenApi(escaped, options);
  const shared = shareSettings(tools, origins);
  const isOpen = shared.http?.auth === undefined && tools.every(({ auth }) => auth === undefined);
  const hint = ["If the API needs a token, add to the section http: auth: { type: bearer, token: '${API_TOKEN}' }"];
  return {
    remarks: [
      `Made by: pegboard import openapi ${file}`,
      'Review it before you use it: remove what an agent should not do, and check each guessed risk.',
      ...(isOpen ? hint : []),
    ],
    data: {
      name: name ?? nameOf(document, file),
      ...(shared.http === undefined ? {} : { http: shared.http }),
      tools: shared.tools.map(({ id, ...tool }) => unescapeKeys({ name: id, ...tool })),
    },
    notes: [...noteDeceiving(deceiving), ...notes.map(unescapeText), ...noteVariables(shared, env)],
    source: {
      origins: new Map([...origins].map(([id, { operation }]) => [id, unescapeText(operation)])),
      all: new Set([...operations].map(unescapeText)),
    },
    comments: new Map([...origins].map(([id, { riskFrom }]) => [id, { risk: `guessed from "${riskFrom}"` }])),
  };
}

function noteDeceiving(count: number): string[] {
  if (count === 0) return [];
  const texts = counted(count, 'text');
  return [
    `${texts} of the document contained escape sequences or characters that hide or reverse text, which were removed. Read them with care.`,
  ];
}

/** Warns about variables that are set: a document chooses their names and destinations, and they may be meant for another API. */
function noteVariables(
  { http, tools }: { readonly http: SharedSettings | undefined; readonly tools: readonly SharingTool[] },
  env: CliContext['env'],
): string[] {
  const sent = [
    http?.auth,
    ...tools.flatMap(({ auth, requests }) => [auth, ...requests.map(({ headers, query }) => [headers, query])]),
  ];
  const names = new Set([...JSON.stringify(sent).matchAll(/(?<!\$)\$\{(\w+)\}/g)].map(([, variable = '']) => variable));
  const where = http?.base_url ?? 'the servers of the document';
  return [...names]
    .filter((variable) => (env[variable] ?? '') !== '')
    .map(
      (variable) =>
        `${variable} is set in this environment, and calls send its value to ${where}. Use another variable in the file unless this is intended.`,
    );
}

/** Parses words with the prefix `tag:`, `path:` or `op:`. Without one, a leading slash means a path, anything else a tag or operation. */
function toSelection(words: readonly string[]): OperationSelection | undefined {
  if (words.length === 0) return undefined;
  const tags: string[] = [];
  const paths: string[] = [];
  const operations: string[] = [];
  for (const word of words) {
    const [, kind, rest = ''] = /^(tag|path|op|operation):(.*)$/s.exec(word) ?? [];
    if (kind === 'tag') tags.push(rest);
    else if (kind === 'path') paths.push(rest);
    else if (kind !== undefined) operations.push(rest);
    else if (word.startsWith('/')) paths.push(word);
    else {
      tags.push(word);
      operations.push(word);
    }
  }
  return { tags, paths, operations };
}

function readServers(words: readonly string[]): ServerChoice {
  const variables: [string, string][] = [];
  let baseUrl: string | undefined;
  let server: number | undefined;
  for (const word of words) {
    const [, name, value] = /^([\w.-]+)=(.*)$/s.exec(word) ?? [];
    if (/^https?:\/\//i.test(word)) baseUrl = word;
    else if (/^[1-9]\d{0,3}$/.test(word)) server = Number(word);
    else if (name !== undefined && value !== undefined) variables.push([name, value]);
    else throw new UsageError(`--server must be an address, a number or NAME=VALUE; got "${word}".`, COMMAND);
  }
  return { baseUrl, server, serverVariables: Object.fromEntries(variables) };
}

function readHeaders(words: readonly string[]): Record<string, string> {
  const headers = words.map((word): [string, string] => {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\t\x20-\x7e\x80-\xff]+)$/.exec(word) ?? [];
    // The value may be a secret.
    if (name === undefined || value === undefined) throw new UsageError("--header must be 'Name: value'.", COMMAND);
    return [name.toLowerCase(), value.trim()];
  });
  return Object.fromEntries(headers);
}

function progress({ stderr }: CliContext): Pick<ImportOpenApiOptions, 'onProgress'> {
  if (stderr.isTTY !== true) return {};
  return {
    onProgress: (done, total) => {
      if (done % 50 === 0 || done === total)
        stderr.write(`${clearLine()}${done === total ? '' : `${done} of ${total} operations`}`);
    },
  };
}

/** Converts the API's title to a short name. */
function nameOf(document: unknown, file: string): string {
  const info = isPlainObject(document) ? document['info'] : undefined;
  const title = isPlainObject(info) && typeof info['title'] === 'string' ? info['title'] : '';
  const name = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? basename(file).replace(/\.[^.]+$/, '') : name;
}
