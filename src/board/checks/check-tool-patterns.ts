import { compileGlob } from '../../tool/texts/compile-glob.ts';
import { compileRules } from '../../guard/policy/rule-list.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { isPlainObject } from '../../tool/json.ts';
import { joinedNames } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';

type Path = readonly (string | number)[];

/** A pattern of tool names in a file that permits what it matches. */
interface WrittenPattern {
  readonly path: Path;
  readonly pattern: string;
}

/** Finds patterns that match tools of servers without permitting them, and says what to write instead. */
export function checkToolPatterns(files: readonly LoadedFile[], tools: readonly Tool[]): Diagnostic[] {
  const served = tools.filter((tool) => joinedNames(tool).length > 0);
  if (served.length === 0) return [];
  return files.flatMap((file) =>
    writtenPatterns(file).flatMap(({ path, pattern }): Diagnostic[] => {
      const message = explainPattern(pattern, served);
      return message === undefined
        ? []
        : [{ severity: 'note', message, file: file.file, path, place: file.locate(path) }];
    }),
  );
}

function explainPattern(pattern: string, tools: readonly Tool[]): string | undefined {
  const matches = compileGlob(pattern);
  const rules = compileRules([pattern]);
  const passed = tools.find((tool) => matches(tool.metadata.name) && !rules.matches(0, tool));
  const [server] = (passed && joinedNames(passed)[0]) ?? [];
  if (passed === undefined || server === undefined) return undefined;
  return `${JSON.stringify(pattern)} does not permit ${JSON.stringify(passed.metadata.name)}, which is of a server. Write "${server}__*" for the tools of that server.`;
}

function writtenPatterns({ dialect, sections }: LoadedFile): WrittenPattern[] {
  const patterns: WrittenPattern[] = [];
  const add = (path: Path, given: unknown): void => {
    if (typeof given === 'string') {
      if (given.includes('*')) patterns.push({ path, pattern: given });
    } else if (Array.isArray(given)) for (const [index, item] of given.entries()) add([...path, index], item);
    else if (isPlainObject(given)) add([...path, 'name'], given['name']);
  };
  const { policy } = sections;
  if (isPlainObject(policy)) add(dialect === 'climax-policy' ? ['allow'] : ['policy', 'allow'], policy['allow']);
  const { discovery } = sections;
  add(['discovery', 'pinned'], isPlainObject(discovery) ? discovery['pinned'] : undefined);
  for (const [name, agent] of Object.entries(Object(sections['agents']))) {
    if (isPlainObject(agent)) for (const key of ['tools', 'pinned']) add(['agents', name, key], agent[key]);
  }
  const { tokens, oauth } = isPlainObject(sections['serve']) ? sections['serve'] : {};
  for (const [index, token] of (Array.isArray(tokens) ? tokens : []).entries()) {
    if (isPlainObject(token)) add(['serve', 'tokens', index, 'allow'], token['allow']);
  }
  const scopes = isPlainObject(oauth) ? oauth['scopes'] : undefined;
  for (const [scope, rules] of Object.entries(isPlainObject(scopes) ? scopes : {})) {
    add(['serve', 'oauth', 'scopes', scope], rules);
  }
  return patterns;
}
