import type { KindHost, ToolEntry } from '../../kinds/kind.ts';
import { isInside, resolveRealPath } from '../../guard/policy/resolve-real-path.ts';
import { findDataFolder, usualDataFolder } from '../../load/data-folder.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { FeatureCheck } from '../../load/features/feature-host.ts';
import { describeValue } from '../../tool/texts/describe-value.ts';

/** Characters of a path that a message shows. */
const MAX_SHOWN = 300;

/**
 * Finds a data folder inside a folder that commands can walk without naming it, as `grep -r .` does: they would read the board's key.
 * Reports an error if a file names the folder although the default lies outside, and a warning if the person or code that starts the board
 * chose it: `findHidden` hides the folder from such commands.
 */
export function checkDataPlace(context: FeatureCheck): Diagnostic[] {
  const { files, entries, env, workingFolder: cwd } = context;
  const { folder, namedBy } = findDataFolder(files, context);
  const data = realPath(folder);
  const host = { env, cwd, prefix: [] };
  const known = new Map<string, boolean>();
  const holdsData = (walked: string): boolean => {
    const holds = known.get(walked) ?? isInside(data, realPath(walked));
    known.set(walked, holds);
    return holds;
  };
  const found = [...entries].flatMap(({ entry, file }) => {
    const walked = walksOf(entry, host).find(holdsData);
    return walked === undefined ? [] : [{ entry, file, walked }];
  });
  const [first] = found;
  if (first === undefined) return [];
  const others = found.length === 1 ? '' : ` (and ${found.length - 1} more)`;
  const usual = usualDataFolder(files, context);
  const isAvoidable = !isInside(realPath(usual), realPath(first.walked));
  const isRefused = typeof namedBy === 'object' && isAvoidable;
  const path = typeof namedBy === 'object' ? ['data'] : first.entry.path;
  const file = typeof namedBy === 'object' ? namedBy : first.file;
  const message = [
    `${namedBy === 'environment' ? 'PEGBOARD_DATA: ' : ''}the board keeps its key and its store in ${describeValue(folder, MAX_SHOWN)},`,
    `and the tool ${describeValue(first.entry.metadata.name)}${others} can read all of ${describeValue(first.walked, MAX_SHOWN)}.`,
    isAvoidable
      ? `Name a folder outside of it, or none: the usual one is ${describeValue(usual, MAX_SHOWN)}.`
      : 'Name a folder outside of it.',
    'A tool with sandbox: bwrap sees only the folders that it names, and one with paths: [] opens no files.',
    ...(isRefused
      ? []
      : ['Until then, bubblewrap hides the data folder from such commands, and without it they do not run.']),
  ].join(' ');
  const severity = isRefused ? 'error' : 'warning';
  return [{ severity, file: file.file, path, message, place: file.locate(path) }];
}

/** A kind that throws here reports its error when its tools are created. */
function walksOf(entry: ToolEntry, host: Pick<KindHost, 'cwd' | 'env' | 'prefix'>): readonly string[] {
  try {
    return entry.kind.walks?.(entry, host) ?? [];
  } catch {
    return [];
  }
}

function realPath(path: string): string {
  try {
    return resolveRealPath(path, '/').path;
  } catch {
    return path;
  }
}
