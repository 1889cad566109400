// Writes docs/imported-commands.md: imports each command that is installed here, and shows what came out: npm run docs:imports
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { createAsk } from '../src/import/command-line/ask-command.ts';
import { fishFolders } from '../src/import/command-line/read-page.ts';
import { lineBuilder } from '../src/kinds/cli/line-builder.ts';
import { importCli } from '../src/import/command-line/import-cli.ts';
import { manFolders } from '../src/import/command-line/man/find-man-page.ts';

/** The imported programs, each with the arguments that print its version. */
export const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  git: ['git', '--version'],
  docker: ['docker', '--version'],
  kubectl: ['kubectl', 'version', '--client'],
  gh: ['gh', '--version'],
  npm: ['npm', '--version'],
  terraform: ['terraform', 'version'],
  curl: ['curl', '--version'],
  jq: ['jq', '--version'],
  ffmpeg: ['ffmpeg', '-version'],
  systemctl: ['systemctl', '--version'],
  'aws s3': ['aws', '--version'],
};

/** A command line that a test holds, and the call that gives it. */
type Proof = readonly [line: string, tool: string, input: Readonly<Record<string, unknown>>];

/** The version of an installed program; `undefined` where it is not there. */
function versionOf(command: string): string | undefined {
  const [program = '', ...args] = COMMANDS[command] ?? [];
  try {
    const text = execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return /\d+(?:\.\d+)*/.exec(text)?.[0];
  } catch {
    return undefined;
  }
}

/** Imports a command and counts what came out, as a row of the table. */
async function importRow(command: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-imports-'));
  try {
    const signal = new AbortController().signal;
    const ask = createAsk({ env: process.env, cwd: folder, signal, timeout: 120_000 });
    const folders = { manual: manFolders(process.env), fish: fishFolders(process.env) };
    const options = { ...folders, buildLine: lineBuilder, timeLimit: 1_200_000 };
    const { tools, pages, shownExamples } = await importCli(command.split(' '), ask, options);
    const args = tools.flatMap((tool) => tool.args ?? []);
    const risks = (risk: string | undefined): number => tools.filter((tool) => tool.risk === risk).length;
    const figures = [
      pages,
      tools.length,
      args.length,
      args.filter((arg) => arg.enum !== undefined).length,
      args.filter(({ type }) => type === 'array' || type === 'object').length,
      args.filter(({ required }) => required === true).length,
      `${risks('read')} / ${risks(undefined)} / ${risks('destructive')}`,
      `${tools.flatMap(({ examples = [] }) => examples).length} of ${shownExamples}`,
    ];
    return `| \`${command}\` | ${versionOf(command)} | ${figures.join(' | ')} |`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The command lines that the tests of a command hold: the literal LINES of its test file. */
export function readProofs(root: string, command: string): readonly Proof[] {
  const file = join(root, 'test/import-cli', `${command.split(' ')[0]}.test.ts`);
  if (!existsSync(file)) return [];
  const literal = /^const LINES: readonly Line\[\] = (\[.*?^\]);/ms.exec(readFileSync(file, 'utf8'))?.[1];
  if (literal === undefined) throw new Error(`${file} has no "const LINES: readonly Line[] = […];"`);
  return runInNewContext(`(${literal})`);
}

/** Formats a command line for the page. */
export function showProof([line, tool, input]: Proof): string {
  const cell = (text: string): string => `\`${text.replaceAll('|', '\\|').replaceAll('\n', '\\n')}\``;
  return `| ${cell(line)} | ${cell(`${tool} ${JSON.stringify(input)}`)} |`;
}

async function writePage(root: string): Promise<void> {
  const rows: string[] = [];
  for (const command of Object.keys(COMMANDS))
    if (versionOf(command) !== undefined) rows.push(await importRow(command));
  const table = [
    '| Command | Version | Pages | Tools | Arguments | with choices | lists | needed | read / write / destructive | Examples |',
    '|---|---|--:|--:|--:|--:|--:|--:|---|---|',
    ...rows,
  ].join('\n');
  const lines = Object.keys(COMMANDS).flatMap((command) => {
    const proofs = readProofs(root, command);
    if (proofs.length === 0) return [];
    return [
      `### ${command.split(' ')[0]}\n\n| Command line | Call |\n|---|---|\n${proofs.map(showProof).join('\n')}\n`,
    ];
  });
  const file = join(root, 'docs/imported-commands.md');
  const page = readFileSync(file, 'utf8')
    .replace(/(?<=<!-- table -->\n\n)[^]*?(?=\n\n<!-- \/table -->)/, () => table)
    .replace(/(?<=<!-- lines -->\n\n)[^]*?(?=\n<!-- \/lines -->)/, () => lines.join('\n'));
  writeFileSync(file, page);
}

if (import.meta.main) await writePage(join(import.meta.dirname, '..'));
