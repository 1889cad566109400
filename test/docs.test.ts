// Every `ts` block in the documentation compiles, and every `text` block that follows one is what it prints.
//
// Blocks of a page share a scope, and may import again what is there; a block that declares a name again starts a new
// scope, and so does `<!-- new scope -->`. What a page does not show stands in a comment before the block, `<!-- prelude`,
// code, `-->`, and holds for later scopes until the next prelude. Blocks fenced `ts ignore` (other libraries' code) are
// left alone. Only scopes with a `text` block are run.
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { docsIndex } from '../scripts/docs-index.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { entryFile } from './cli-program.test-helper.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, '.cache', 'docs-check');
const runFolder = join(root, '.cache', 'docs-run');
const run = promisify(execFile);
const MARK = "console.log('\u241E');";

const FENCE = /^(?:```(?<info>.*)|(?<comment><!-- prelude)|(?<scope><!-- new scope -->))$/;
const IMPORT = /^import ([^']+?) from '([^']+)';/gm;
const DECLARATION =
  /^(?:declare )?(?:async )?(?:const|let|class|abstract class|function|interface|type) (?:\{([^}]*)\}|\[([^\]]*)\]|(\w+))/gm;

/** Blocks that share a scope, as a file with each line where it is on the page. */
interface Scope {
  readonly page: string;
  readonly file: string;
  readonly lines: string[];
  readonly names: Set<string>;
  /** Shown output, with the first and last line of the block that prints it. */
  readonly outputs: { readonly from: number; readonly to: number; readonly text: string }[];
}

function readScopes(page: string): Scope[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const scopes: Scope[] = [];
  let prelude: readonly number[] = [];
  let isNew = true;
  let isPreludeNew = false;
  let block: { from: number; to: number } | undefined;
  for (let index = 0; index < lines.length; index++) {
    const { info, comment, scope } = FENCE.exec(lines[index] ?? '')?.groups ?? {};
    if (scope !== undefined) isNew = true;
    if (info === undefined && comment === undefined) continue;
    const from = index;
    const body: number[] = [];
    while (++index < lines.length && lines[index] !== (comment === undefined ? '```' : '-->')) body.push(index);
    if (comment !== undefined) {
      prelude = body;
      isPreludeNew = true;
    } else if (info === 'ts') {
      const code = [...(isPreludeNew ? prelude : []), ...body].map((at) => lines[at]);
      const declared = declaredNames(code.join('\n'));
      if (isNew || declared.some((name) => scopes.at(-1)?.names.has(name))) {
        const file = `${page.replaceAll(/[^a-z0-9-]+/gi, '_')}_${scopes.length + 1}.ts`;
        scopes.push({ page, file, lines: lines.map(() => ''), names: new Set(), outputs: [] });
        isPreludeNew = true;
      }
      if (isPreludeNew) addCode(scopes, lines, prelude);
      addCode(scopes, lines, body);
      isNew = isPreludeNew = false;
      block = { from, to: index };
      continue;
    } else if (info === 'text' && block !== undefined) {
      scopes.at(-1)?.outputs.push({ ...block, text: body.map((at) => lines[at]).join('\n') });
    }
    block = undefined;
  }
  return scopes;
}

/** Adds these lines of the page to the last scope, without imports that are there already. */
function addCode(scopes: readonly Scope[], page: readonly string[], at: readonly number[]): void {
  const scope = scopes.at(-1);
  if (scope === undefined) return;
  const code = at.map((index) => page[index]).join('\n');
  const fresh = code.replaceAll(IMPORT, (statement, clause: string, target: string) => {
    const names = importedNames(clause);
    const missing = names.filter((name) => !scope.names.has(localName(name)));
    for (const name of missing) scope.names.add(localName(name));
    const path = target.replace(/^pegboard(\/.*)?$/, (_, entry?: string) => `../../src${entry ?? '/index'}.ts`);
    const kept = clause.startsWith('{') ? `{ ${missing.join(', ')} }` : clause;
    const written = missing.length === 0 ? '' : `import ${kept} from '${path}';`;
    return written + '\n'.repeat(statement.split('\n').length - 1);
  });
  for (const name of declaredNames(code)) scope.names.add(name);
  for (const [index, line] of fresh.split('\n').entries()) scope.lines[at[index] ?? 0] = line;
}

function importedNames(clause: string): string[] {
  return clause.startsWith('{')
    ? clause
        .slice(1, -1)
        .split(',')
        .flatMap((name) => name.trim() || [])
    : [clause];
}

/** `type a as b` → `b`. */
function localName(name: string): string {
  return name.split(' ').at(-1) ?? name;
}

function declaredNames(code: string): string[] {
  return [...code.matchAll(DECLARATION)].flatMap(([, object, array, name]) =>
    name === undefined
      ? (object ?? array ?? '').split(',').flatMap((part) => part.split('=')[0]?.split(':').at(-1)?.trim() || [])
      : [name],
  );
}

const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: root }).toSorted();
// The stories check the code under docs/start, against the packed package.
const scopes = pages.filter((page) => !page.startsWith('docs/start/')).flatMap(readScopes);

beforeAll(() => {
  for (const made of [folder, runFolder]) {
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made, { recursive: true });
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }));
  for (const { file, lines, outputs } of scopes) {
    const marked = [...lines, 'export {};\n'];
    for (const { from, to } of outputs) marked[from] = marked[to] = MARK;
    const code = marked.join('\n');
    writeFileSync(join(folder, file), code);
    // It compiles against the sources, and runs with what was built of them.
    const built = code.replaceAll(/'\.\.\/\.\.\/src\/(\S+)\.ts'/g, (_, entry: string) => `'${entryFile(entry)}'`);
    writeFileSync(join(runFolder, file), built);
  }
});

describe('documentation', () => {
  it('has code on its pages', () => {
    expect(scopes.length).toBeGreaterThan(10);
  });

  it('compiles', async () => {
    const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false']).catch(
      (failure: { stdout: string; message: string }) => ({ stdout: failure.stdout || failure.message }),
    );
    expect(stdout).toBe('');
  });

  it.concurrent.for(scopes.filter(({ outputs }) => outputs.length > 0))(
    'prints what $page shows ($file)',
    async ({ file, page, outputs }, { expect }) => {
      const { stdout } = await run(process.execPath, [join(runFolder, file)], { timeout: 200_000 });
      const printed = stdout.split('\u241E\n').filter((_, index) => index % 2 === 1);
      for (const [index, { from, text }] of outputs.entries()) {
        expect(printed[index]?.trimEnd(), `${page}:${from + 1}`).toBe(text);
      }
    },
  );

  it('has an index with every page, in its own words', () => {
    const made = docsIndex(root);
    for (const [file, text] of Object.entries(made)) {
      expect(readFileSync(join(root, file), 'utf8'), 'Run: npm run docs:index').toBe(text);
    }
    const missing = pages.filter(
      (page) => page !== 'docs/README.md' && page !== 'README.md' && !made['llms.txt']?.includes(`](${page})`),
    );
    expect(missing).toEqual([]);
  });

  it('links only to pages and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      [...withoutCode(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)]+))?\)/g)]
        .filter(([, target = '', anchor]) => {
          const file = target === '' ? page : join(page, '..', target);
          if (!existsSync(join(root, file))) return true;
          return anchor !== undefined && !anchorsOf(file).has(anchor);
        })
        .map(([link]) => `${page} → ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

function withoutCode(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^```[^]*?^```$|<!--[^]*?-->/gm, '');
}

/** The anchors of a page's headings: lower case, without signs, hyphens for blanks. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );
}
