import { serving } from '../../../features/serving/feature.ts';
import { containerPrefix } from '../../../features/policy/open-policy.ts';
import { policySections } from '../../../features/policy/feature.ts';
import { mergeSections } from '../../../load/features/section.ts';
import type { Diagnostic } from '../../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { findProgram, installHint } from '../../shared/board/programs.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { findNeeds } from '../doctor/check.ts';
import type { Board } from '../../../board/board.ts';
import { createToken } from '../../../mcp/server/auth/token-authenticator.ts';
import { createGate } from '../../../mcp/server/http/gate/entrance.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { createAuthenticator } from '../../../features/serving/commands/serve/create-authenticator.ts';
import { mergeServeSections, toHttpOptions } from '../../../features/serving/commands/serve/serve-settings.ts';
import { existsSync } from 'node:fs';
import { knowledge as knowledgeFeature } from '../../../features/knowledge/feature.ts';
import { collectionsOf } from '../../../features/knowledge/read-knowledge.ts';

/** Warns about programs that are missing on this machine, once each, at the first tool that uses it. Starts nothing. */
export async function checkPrograms(files: readonly LoadedFile[], context: CliContext): Promise<Diagnostic[]> {
  // Without a PATH there is nowhere to look, and a container has its own programs.
  if (context.env['PATH'] === undefined || hasContainer(files, context)) return [];
  const users = new Map<string, { readonly diagnostic: Diagnostic; readonly tools: Set<string> }>();
  for (const file of files) {
    for (const { tool, path, finding } of await findNeeds([file], context)) {
      if (finding.need !== 'command' || findProgram(finding.name, context) !== undefined) continue;
      const known = users.get(finding.name);
      known?.tools.add(tool);
      if (known !== undefined) continue;
      const diagnostic = { severity: 'warning' as const, file: file.file, path, message: '', place: file.locate(path) };
      users.set(finding.name, { diagnostic, tools: new Set([tool]) });
    }
  }
  return [...users].map(([program, { diagnostic, tools }]) => ({
    ...diagnostic,
    message: describeMissing(program, tools.size),
  }));
}

function describeMissing(program: string, tools: number): string {
  const hint = installHint(program);
  const where = program.includes('/') ? 'does not exist or is not executable' : 'is not in PATH';
  const remedy =
    hint !== undefined
      ? `Install it: ${hint}.`
      : program.includes('/')
        ? 'Check the path.'
        : 'Install it, or check the name.';
  const more = tools > 1 ? ` (of ${counted(tools, 'tool')})` : '';
  return `the program "${program}"${more} ${where} on this machine, so calls fail. ${remedy}`;
}

function hasContainer(files: readonly LoadedFile[], { cwd, env }: CliContext): boolean {
  return containerPrefix(mergeSections(policySections, files, cwd).policy, env).length > 0;
}

/** Finds the reasons why `pegboard serve --http` would refuse these files, with the same checks. Opens no port. */
export function checkServing({ files }: Pick<Board, 'files'>): Diagnostic[] {
  const last = mergeSections(serving.sections, files).serve.findLast(({ value }) => Object.keys(value).length > 0);
  if (last === undefined || files.some((one) => one.isUnresolved(['serve']))) return [];
  const section = mergeServeSections(files);
  try {
    const own = { token: undefined, isOpen: false, boardToken: createToken };
    createGate(toHttpOptions(section, createAuthenticator(section, own)));
    return [];
  } catch (error) {
    return [last.at([], messageOf(error))];
  }
}

/** Warns about collections whose stored vectors do not match the config. Checks only stores in local files. */
export async function checkStoredKnowledge(board: Board): Promise<Diagnostic[]> {
  const knowledge = await board.knowledge();
  const found = knowledge.names.map(async (name): Promise<Diagnostic[]> => {
    const collection = knowledge.collection(name);
    if (collection.plan.server.driver !== 'sqlite' || !existsSync(collection.place)) return [];
    // An unreadable file is also worth a warning.
    const problem = await collection.problem().catch((error: unknown) => ({ message: messageOf(error) }));
    if (problem === undefined) return [];
    return warn(name, problem.message, board.files);
  });
  return (await Promise.all(found)).flat();
}

/** Warns about a collection at its own section, or at the first tool that uses it. */
function warn(name: string, message: string, files: Board['files']): Diagnostic[] {
  const { rag } = mergeSections(knowledgeFeature.sections, files);
  const own = rag.findLast(({ value: { collections = {} } }) => name in collections);
  if (own !== undefined) return [own.at(['collections', name], message, 'warning')];
  const uses = files.flatMap((file) => file.entries.flatMap(collectionsOf).map((use) => ({ ...use, file })));
  const { file = files.at(-1), place: path = ['rag'] } = uses.find((use) => use.name === name) ?? {};
  return file === undefined ? [] : [{ severity: 'warning', file: file.file, path, message, place: file.locate(path) }];
}
