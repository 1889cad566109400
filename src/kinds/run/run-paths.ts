import { resolve } from 'node:path';
import { parseTemplate } from '../../platform/http/template/template.ts';
import { schemaPaths } from '../../tool/parameters/find-values.ts';
import type { MadePath, ToolPaths } from '../../guard/policy/tool-paths.ts';
import { isGit } from '../running/git-settings.ts';
import { baseFolder, findObstacle, type PathHost, workingFolders } from '../running/working-folders.ts';
import type { CommandsSettings, RunCommand } from './commands-settings.ts';
import { fillText, isTrue } from './fill-argument.ts';

type Values = Readonly<Record<string, unknown>>;

/** Text before a path inside one element: `--file=`, `@`, `HEAD:`. */
const BEFORE_PATH = /^.*[=@:,]/s;

/** Finds the paths of commands with templates: the arguments, and the working folders and elements built from them. */
export function runPaths(settings: CommandsSettings, paths: readonly string[], host: PathHost): ToolPaths {
  const names = [...new Set([...paths, ...schemaPaths(settings.schema)])];
  const running = (args: Values): { readonly command: RunCommand; readonly folder: string | undefined }[] =>
    settings.commands
      .filter(({ when }) => when === undefined || isTrue(when, args))
      .map((command) => ({ command, folder: fill(command.workingDir, args) }));
  const base = baseFolder(settings.running, host);
  return {
    names,
    folders: (args) => [
      ...new Set(running(args).flatMap(({ folder }) => workingFolders(folder, settings.running, host))),
    ],
    made: (args) =>
      running(args).flatMap(({ command, folder }): MadePath[] => {
        const [asked] = parseTemplate(command.workingDir ?? '').placeholders;
        const places = workingFolders(folder, settings.running, host);
        return [
          // As when the command starts: first made absolute, then links are followed.
          ...(asked === undefined || folder === undefined
            ? []
            : [{ argument: asked.name, path: resolve(base, folder), folder: base }]),
          ...[...command.args.map(({ text }) => text), ...Object.values(command.env)].flatMap((text) =>
            places.flatMap((place) => madeOf(text, { names, args, folder: place }) ?? []),
          ),
          ...(isGit(command.cmd) ? places.flatMap((place) => wordsOf(command, { names, args, folder: place })) : []),
        ];
      }),
    ...findObstacle(host),
  };
}

/** Git takes a revision for a file if a file of that name exists. */
function wordsOf(
  { args: elements }: RunCommand,
  { names, args, folder }: { readonly names: readonly string[]; readonly args: Values; readonly folder: string },
): MadePath[] {
  return elements.flatMap(({ text }): MadePath[] => {
    const [first] = parseTemplate(text).placeholders;
    const path = first === undefined || names.includes(first.name) ? undefined : fill(text, args);
    return first === undefined || path === undefined ? [] : [{ argument: first.name, path, folder, onlyIfThere: true }];
  });
}

/** Returns an element that contains a path, as the command gets it. */
function madeOf(
  template: string,
  { names, args, folder }: { readonly names: readonly string[]; readonly args: Values; readonly folder: string },
): MadePath | undefined {
  const { parts, placeholders } = parseTemplate(template);
  const marked = placeholders.find(({ name }) => names.includes(name));
  const text = marked === undefined || parts.length === 1 ? undefined : fill(template, args);
  if (marked === undefined || text === undefined) return undefined;
  const lead = BEFORE_PATH.exec(fill(template.slice(0, marked.start), args) ?? '')?.[0] ?? '';
  const path = text.slice(lead.length);
  // A flag and its value in one, such as -Ifolder: the value itself is the path.
  return path.startsWith('-') ? undefined : { argument: marked.name, path, folder };
}

/** Fills a template; `undefined` if a value is missing: the call fails then, or omits the element. */
function fill(template: string | undefined, args: Values): string | undefined {
  try {
    return template === undefined ? undefined : fillText(template, args, '');
  } catch {
    return undefined;
  }
}
