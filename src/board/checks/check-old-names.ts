import { compileGlob } from '../../tool/texts/compile-glob.ts';
import { compileRules } from '../../guard/policy/rule-list.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { isPlainObject } from '../../tool/json.ts';
import { explainOldName, findByOldName, joinedNames, oldNames } from '../../tool/tool-names.ts';
import type { Tool } from '../../tool/tool.ts';

type Path = readonly (string | number)[];

/** A name or pattern of tools that stands in a file. */
interface WrittenName {
  readonly path: Path;
  readonly name: string;
  /** Whether what matches is permitted by it. */
  readonly permits: boolean;
}

/** Finds names in the files that tools had on boards of earlier versions, and says which to write instead. */
export function checkOldNames(files: readonly LoadedFile[], tools: readonly Tool[]): Diagnostic[] {
  const served = tools.filter((tool) => oldNames(tool).length > 0 || joinedNames(tool).length > 0);
  if (served.length === 0) return [];
  const byOldName = findByOldName(served);
  const explain = ({ name, permits }: WrittenName): Pick<Diagnostic, 'severity' | 'message'> | undefined => {
    const tool = byOldName(name);
    if (tool !== undefined) return { severity: 'warning', message: explainOldName(name, tool) };
    return name.includes('*') ? explainPattern(name, served, permits) : undefined;
  };
  return files.flatMap((file) =>
    writtenNames(file).flatMap((written): Diagnostic[] => {
      const found = explain(written);
      const { path } = written;
      return found === undefined ? [] : [{ ...found, file: file.file, path, place: file.locate(path) }];
    }),
  );
}

function explainPattern(
  pattern: string,
  tools: readonly Tool[],
  permits: boolean,
): Pick<Diagnostic, 'severity' | 'message'> | undefined {
  const matches = compileGlob(pattern);
  const isOld = (tool: Tool): boolean => !matches(tool.metadata.name) && oldNames(tool).some(matches);
  const old = tools.find(isOld);
  if (old !== undefined) {
    const { name } = old.metadata;
    const next = pattern.replace('.', '__');
    const advice = compileGlob(next)(name) ? `Write ${JSON.stringify(next)}` : 'Write a pattern of the new names';
    const message = `${JSON.stringify(pattern)} matches an old name of ${JSON.stringify(name)}. ${advice}.`;
    return { severity: 'warning', message };
  }
  const rules = compileRules([pattern]);
  const passed = permits ? tools.find((tool) => matches(tool.metadata.name) && !rules.matches(0, tool)) : undefined;
  const [server] = (passed && joinedNames(passed)[0]) ?? [];
  if (passed === undefined || server === undefined) return undefined;
  const message = `${JSON.stringify(pattern)} does not permit ${JSON.stringify(passed.metadata.name)}, which is of a server. Write "${server}__*" for the tools of that server.`;
  return { severity: 'note', message };
}

/** Every name and pattern of tools in a file. */
function writtenNames({ policy, dialect, agents, serve, discovery }: LoadedFile): WrittenName[] {
  const names: WrittenName[] = [];
  const add = (path: Path, given: unknown, permits = true): void => {
    if (typeof given === 'string') names.push({ path, name: given, permits });
    else if (Array.isArray(given)) for (const [index, item] of given.entries()) add([...path, index], item, permits);
    else if (isPlainObject(given)) add([...path, 'name'], given['name'], permits);
  };
  const addKeys = (path: Path, given: unknown): void => {
    if (isPlainObject(given)) for (const key of Object.keys(given)) add([...path, key], key, false);
  };
  const { allow, deny, tools, approval } = policy ?? {};
  const top = dialect === 'climax-policy' ? [] : ['policy'];
  add([...top, 'allow'], allow);
  add([...top, 'deny'], deny, false);
  addKeys([...top, 'tools'], tools);
  addKeys([...top, 'approval', 'tools'], isPlainObject(approval) ? approval['tools'] : undefined);
  add(['discovery', 'pinned'], discovery['pinned']);
  for (const [name, agent] of Object.entries(agents)) {
    if (!isPlainObject(agent)) continue;
    for (const key of ['tools', 'pinned']) add(['agents', name, key], agent[key]);
    const choice = agent['tool_choice'];
    if (isPlainObject(choice)) add(['agents', name, 'tool_choice', 'tool'], choice['tool']);
  }
  const { tokens, oauth, tasks } = serve;
  for (const [index, token] of (Array.isArray(tokens) ? tokens : []).entries()) {
    if (isPlainObject(token)) add(['serve', 'tokens', index, 'allow'], token['allow']);
  }
  const scopes = isPlainObject(oauth) ? oauth['scopes'] : undefined;
  for (const [scope, rules] of Object.entries(isPlainObject(scopes) ? scopes : {})) {
    add(['serve', 'oauth', 'scopes', scope], rules);
  }
  if (isPlainObject(tasks)) for (const key of ['always', 'only']) add(['serve', 'tasks', key], tasks[key], false);
  return names;
}
