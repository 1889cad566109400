import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { load } from 'js-yaml';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { escapeDocument, unescapeKeys, unescapeText } from '../../../load/variables/escape-variables.ts';
import type { OperationSelection } from '../../../load/openapi/select-operations.ts';
import { defineCommand } from '../../command-line/command.ts';
import { type MadeConfig, WRITE_OPTIONS, writeYaml } from './write-yaml.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';

const SELECTION = 'an operation, a tag, or a path such as /users/*; * stands for anything';

/** `pegboard import openapi`: http tools from an OpenAPI document. */
export const importOpenapi = defineCommand({
  name: 'import openapi',
  description:
    'Writes http tools from an OpenAPI document (Swagger 2.0 too). What does not fit into a tool is noted on stderr.',
  arguments: [{ name: 'FILE', description: 'The document, in JSON or YAML', required: true }],
  options: {
    include: { type: 'string', value: 'WHAT', multiple: true, description: `Only ${SELECTION}` },
    exclude: { type: 'string', value: 'WHAT', multiple: true, description: `Not ${SELECTION}` },
    'base-url': { type: 'string', value: 'URL', description: 'Where the API is, instead of what the document says' },
    ...WRITE_OPTIONS,
  },
  examples: [
    ['pegboard import openapi petstore.json --out petstore.yaml', 'every operation'],
    ["pegboard import openapi api.yaml --include '/users/*' --exclude admin", 'one path, without a tag'],
  ],
  async run({ values, positionals: [file = ''], json, context }) {
    const document = readDocument(resolve(context.cwd, file), file);
    const made = await readOpenApi(document, {
      file,
      include: toSelection(values.include),
      exclude: toSelection(values.exclude),
      baseUrl: values['base-url'],
    });
    writeYaml(made, { ...values, json }, context);
    return made.data.tools.length === 0 ? 1 : 0;
  },
});

/** A config file with a tool for each operation of an OpenAPI document. `file` is where it came from. */
export async function readOpenApi(
  document: unknown,
  {
    file,
    ...options
  }: {
    readonly file: string;
    readonly include?: OperationSelection | undefined;
    readonly exclude?: OperationSelection | undefined;
    readonly baseUrl?: string | undefined;
  },
): Promise<MadeConfig> {
  const { importOpenApi } = await import('../../../load/openapi/import-open-api.ts');
  const { tools, origins, notes } = importOpenApi(escapeDocument(document), {
    include: undefined,
    exclude: undefined,
    baseUrl: undefined,
    ...options,
  });
  return {
    remarks: [
      `Made by: pegboard import openapi ${basename(file)}`,
      'Read it before you use it: remove what an agent should not do, and check each risk that was guessed.',
    ],
    data: {
      name: nameOf(document, file),
      tools: tools.map(({ id, ...tool }) => unescapeKeys({ name: id, ...tool })),
    },
    notes: notes.map(unescapeText),
    comments: new Map([...origins].map(([id, { riskFrom }]) => [id, { risk: `guessed from "${riskFrom}"` }])),
  };
}

/** Reads a document in JSON or YAML. */
export function parseDocument(text: string, shown: string): unknown {
  try {
    // JSON is YAML, but much quicker to read as what it is.
    return text.trimStart().startsWith('{') ? JSON.parse(text) : load(text, { filename: shown });
  } catch (error) {
    const reason = messageOf(error);
    throw new ToolError({ code: 'invalid_arguments', message: `${shown} is neither JSON nor YAML: ${reason}` });
  }
}

function readDocument(path: string, shown: string): unknown {
  return parseDocument(readText(path, shown), shown);
}

function readText(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const hint = /^https?:/.test(shown) ? 'Download it first.' : 'Check the path.';
    throw new ToolError({ code: 'not_found', message: `${shown} cannot be read (${reason}). ${hint}`, cause: error });
  }
}

/** Paths start with a slash; any other word is the name of an operation or a tag. */
function toSelection(words: readonly string[]): OperationSelection | undefined {
  if (words.length === 0) return undefined;
  const names = words.filter((word) => !word.startsWith('/'));
  return { paths: words.filter((word) => word.startsWith('/')), tags: names, operations: names };
}

/** The API's title as a short name. */
function nameOf(document: unknown, file: string): string {
  const info = isPlainObject(document) ? document['info'] : undefined;
  const title = isPlainObject(info) && typeof info['title'] === 'string' ? info['title'] : '';
  const name = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? basename(file).replace(/\.[^.]+$/, '') : name;
}
