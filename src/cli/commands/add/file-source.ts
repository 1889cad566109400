import { readFileSync, statSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { detectDialect } from '../../../load/dialects/detect-dialect.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import type { AddPlan, AddSource, AddTarget } from './add-source.ts';
import { readBoardTools } from './board-tools.ts';

const CODE = /\.[cm]?[jt]s$/;
const DATA = /\.(?:ya?ml|json)$/i;

/** `pegboard add ./openapi.yaml`: adds an OpenAPI document, another config file, or tools in code. */
export const fileSource: AddSource = {
  form: 'FILE',
  summary: 'an OpenAPI document, another config file, or tools in a .ts or .js file',
  matches: (word, { cwd }) => (CODE.test(word) || DATA.test(word)) && isFile(resolve(cwd, word)),
  plan: (word, target, context) =>
    CODE.test(word) ? planCode(word, target, context) : planData(word, target, context),
};

async function planCode(word: string, { folder }: AddTarget, { cwd }: CliContext): Promise<AddPlan> {
  const name = basename(word).replace(CODE, '').replaceAll(/\W+/g, '_');
  return {
    summary: `the tools that ${word} exports`,
    files: [],
    isSilentAboutPaths: true,
    changes: [{ section: 'tools', append: [{ name, type: 'script', file: toRelative(folder, resolve(cwd, word)) }] }],
    notes: [`The board runs ${word} when it opens.`],
    asks: true,
  };
}

async function planData(word: string, target: AddTarget, context: CliContext): Promise<AddPlan> {
  const { cwd } = context;
  const { parseDocument, readDocument } = await import('../import/openapi-source.ts');
  const path = resolve(cwd, word);
  const document = parseDocument(readFileSync(path, 'utf8'), word);
  if (isOpenApi(document)) {
    const [{ planMadeFile }, { readOpenApi }] = await Promise.all([
      import('./made-file.ts'),
      import('../import/import-openapi.ts'),
    ]);
    const { document: whole, notes } = await readDocument(word, {}, context);
    const made = await readOpenApi(whole, { file: word, env: context.env });
    const noted = { ...made, notes: [...notes, ...made.notes] };
    return planMadeFile(noted, `the API of ${word}`, { ...target, board: readBoardTools(target, cwd) });
  }
  if (path === resolve(cwd, target.shown)) {
    throw new ToolError({ code: 'invalid_arguments', message: `${word} is the board itself.` });
  }
  if (!isConfig(document)) {
    const message = `${word} is neither an OpenAPI document nor a config file with tools or mcpServers.`;
    throw new ToolError({ code: 'invalid_arguments', message });
  }
  return {
    summary: `the config file ${word}`,
    files: [],
    changes: [{ section: 'import', append: [toRelative(target.folder, path)] }],
    notes: [],
    asks: true,
  };
}

export function isOpenApi(document: unknown): boolean {
  return isPlainObject(document) && ('openapi' in document || 'swagger' in document);
}

function isConfig(document: unknown): boolean {
  if (!isPlainObject(document)) return false;
  return (
    detectDialect(document) !== 'pegboard' ||
    ['tools', 'mcpServers', 'servers', 'import'].some((key) => key in document)
  );
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function toRelative(folder: string, path: string): string {
  const near = relative(folder, path).replaceAll('\\', '/');
  return near.startsWith('.') ? near : `./${near}`;
}
