import { flag, valueOption } from '../../shared/command.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { dump, load } from 'js-yaml';
import { makeFolder } from '../../../platform/store/private-file.ts';
import { isPlainObject } from '../../../tool/json.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import type { CommandAnswer } from '../../shared/command.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { formatMemory, hasMemory, type RememberedImport, updateFile, type UpdatedFile } from './update-file.ts';

/** A generated config file. */
export interface MadeConfig {
  /** Comment lines at its top. */
  readonly remarks: readonly string[];
  readonly data: { readonly name: string; readonly http?: unknown; readonly tools: readonly unknown[] };
  /** Comments for the keys of tools, by tool and key. */
  readonly comments?: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Notes for the person that are not in the file. */
  readonly notes: readonly string[];
  /** The origin of each tool by name, and all origins in the source. Stored in the file for the next import. */
  readonly source?: { readonly origins: ReadonlyMap<string, string>; readonly all: ReadonlySet<string> };
}

/** The destination of a config file, and how to treat an existing one. */
export interface WriteTarget {
  readonly out: string | undefined;
  /** Adds what is new and keeps what a person wrote. */
  readonly update: boolean;
  /** Overwrites the file. */
  readonly replace: boolean;
}

export const WRITE_OPTIONS = {
  out: valueOption('FILE', 'Write to a file instead of stdout', { short: 'o' }),
  update: flag('Add what is new to the file of --out, and keep your edits'),
  replace: flag('Overwrite the file of --out'),
} as const;

/** The largest file that a board reads, in bytes. */
const MAX_READ = 5_000_000;
const TOO_LARGE =
  'The file is larger than the 5 MB that a board reads. Import again with --only to select what you need.';

/** Writes a config file and describes what was written, or shows the file; notes go to stderr. */
export function writeYaml(made: MadeConfig, { out, update, replace }: WriteTarget, context: CliContext): CommandAnswer {
  const { data } = made;
  const file = out === undefined ? undefined : resolve(context.cwd, out);
  const isThere = file !== undefined && existsSync(file);
  const before = isThere && !replace ? readFileSync(file, 'utf8') : '';
  const remembered = made.source === undefined ? undefined : toRemembered(made);
  const isUpdate = isThere && !replace && (update || (remembered !== undefined && hasMemory(before)));
  const added = isUpdate ? toUpdated(before, { made, remembered, shown: out ?? file }) : undefined;
  const yaml = added?.text ?? formatMade(made);
  // A file without tools is useless, and --update would conclude that a person removed them all.
  const isEmpty = added === undefined && data.tools.length === 0;
  const isLarge = Buffer.byteLength(yaml) > MAX_READ;
  const notes = [...made.notes, ...(added?.notes ?? []), ...(isLarge ? [TOO_LARGE] : [])];
  if (file !== undefined) {
    if (isThere && added === undefined && !replace) {
      throw new ToolError({
        code: 'invalid_arguments',
        message: `${out} already exists. Use --update to add what is new and keep the rest, --replace to overwrite it, or choose another name.`,
      });
    }
    if (!isEmpty) {
      makeFolder(dirname(file));
      writeFileSync(file, yaml, isThere ? {} : { flag: 'wx' });
    }
  }
  const count = added === undefined ? data.tools.length : added.added;
  const changed = added === undefined ? {} : { changed: added.changed };
  return {
    data: out === undefined ? { ...data, notes } : { written: isEmpty ? null : out, tools: count, ...changed, notes },
    view: out === undefined ? { text: yaml } : describeOutcome(out, { isEmpty, isThere, count, added }),
    notes: ({ yellow }) => notes.map((note) => `${yellow('note')} ${note}`),
  };
}

interface Outcome {
  readonly isEmpty: boolean;
  readonly isThere: boolean;
  readonly count: number;
  readonly added: UpdatedFile | undefined;
}

function describeOutcome(out: string, { isEmpty, isThere, count, added }: Outcome): string {
  if (isEmpty) return `There are no tools to write: ${out} ${isThere ? 'is unchanged' : 'was not created'}.`;
  if (added?.added === 0 && added.changed === 0) return `Nothing is new: ${out} is unchanged.`;
  return `${describeWritten(count, added)} to ${out}. Check them with: pegboard validate ${out}`;
}

function describeWritten(count: number, added: UpdatedFile | undefined): string {
  if (added === undefined) return `Wrote ${counted(count, 'tool')}`;
  const changes = added.changed === 0 ? '' : counted(added.changed, 'change', 'changes');
  if (changes !== '' && count === 0) return `Wrote ${changes}`;
  return `Added ${counted(count, 'new tool')}${changes === '' ? '' : ` and ${changes}`}`;
}

function toUpdated(
  text: string,
  source: { readonly made: MadeConfig; readonly remembered: RememberedImport | undefined; readonly shown: string },
): UpdatedFile {
  const { made, remembered, shown } = source;
  return remembered === undefined ? addToFile(text, made, shown) : updateFile(text, remembered, shown);
}

/** Prepares the data that the file stores for the next import. */
function toRemembered(made: MadeConfig): RememberedImport {
  const { data, source, comments } = made;
  const tools = data.tools.map(
    (tool) => [nameOf(tool), { tool, origin: source?.origins.get(nameOf(tool)) ?? '' }] as const,
  );
  const risks = new Map(data.tools.map((tool) => [nameOf(tool), riskOf(tool)]));
  return {
    http: data.http,
    tools: new Map(tools),
    origins: source?.all ?? new Set(),
    format: (written) => {
      // A risk that a person wrote is not a guess.
      const guessed = new Set(written.filter((tool) => risks.get(nameOf(tool)) === riskOf(tool)).map(nameOf));
      return formatTools(written, new Map([...(comments ?? [])].filter(([name]) => guessed.has(name))));
    },
  };
}

/** Adds the tools that a file lacks. Its existing text stays unchanged. */
function addToFile(text: string, made: MadeConfig, shown: string): UpdatedFile {
  const known = toolsOf(text, shown);
  const lastKey = text.split('\n').findLast((line) => /^[^\s#-]/.test(line)) ?? '';
  if (!/^tools:\s*(?:#.*)?$/.test(lastKey)) {
    throw new ToolError({
      code: 'invalid_config',
      message: `${shown} cannot be updated: "tools:" must be its last section, with one "- name:" for each tool. Move it to the end, or choose another file.`,
    });
  }
  const isNew = (tool: unknown): boolean => !known.has(nameOf(tool));
  const added = made.data.tools.filter(isNew);
  const now = new Map(made.data.tools.map((tool) => [nameOf(tool), tool]));
  const differing = [...known].filter(([name, tool]) => now.has(name) && !isDeepStrictEqual(tool, now.get(name)));
  const indent = /^( *)- /m.exec(text.slice(text.lastIndexOf('\ntools:')))?.[1] ?? '  ';
  const entries = formatTools(added, made.comments).replaceAll(/^ {2}/gm, indent);
  const names = differing.map(([name]) => name);
  return {
    text: added.length === 0 ? text : `${text.trimEnd()}\n${entries}`,
    added: added.length,
    changed: 0,
    notes:
      names.length === 0
        ? []
        : [
            `Unchanged, although the import would write them differently now: ${names.slice(0, 8).join(', ')}${names.length > 8 ? ` and ${names.length - 8} more` : ''}.`,
          ],
  };
}

function toolsOf(text: string, shown: string): ReadonlyMap<string, unknown> {
  try {
    const data = load(text, { filename: shown });
    const tools = isPlainObject(data) && Array.isArray(data['tools']) ? data['tools'] : [];
    return new Map(tools.map((tool: unknown) => [nameOf(tool), tool]));
  } catch (error) {
    throw new ToolError({
      code: 'invalid_config',
      message: `${shown} is not valid YAML: ${messageOf(error)}`,
      cause: error,
    });
  }
}

function riskOf(tool: unknown): unknown {
  return isPlainObject(tool) ? tool['risk'] : undefined;
}

function nameOf(tool: unknown): string {
  return isPlainObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : '';
}

/** Formats a generated config file. */
export function formatMade(made: Omit<MadeConfig, 'notes'>): string {
  const { remarks, data, comments = new Map() } = made;
  const top = remarks.map((remark) => `# ${remark.replaceAll(/\s+/g, ' ')}\n`).join('');
  const memory = made.source === undefined ? '' : formatMemory(toRemembered({ ...made, notes: [] }));
  return `${top}${addComments(dump(data, { noRefs: true, lineWidth: 120 }), comments)}${memory}`;
}

/** Formats tools as the items of `tools:`. */
function formatTools(tools: readonly unknown[], comments: MadeConfig['comments'] = new Map()): string {
  return addComments(dump({ tools }, { noRefs: true, lineWidth: 120 }), comments).replace(/^tools:\n/, '');
}

/**
 * Adds comments to the keys of tools (each tool begins with its name), of arguments (`args.NAME.KEY`) and of the flags of a
 * sequence (`args.NAME.FLAG.KEY`).
 */
function addComments(yaml: string, comments: NonNullable<MadeConfig['comments']>): string {
  if (comments.size === 0) return yaml;
  let own: Readonly<Record<string, string>> = {};
  let argument = '';
  return yaml
    .split('\n')
    .map((line) => {
      const name = /^ {2}- name: (.*)$/.exec(line)?.[1];
      if (name !== undefined) own = comments.get(name) ?? {};
      const [, depth = '', named] = /^ {6}( {4})?- name: (.*)$/.exec(line) ?? [];
      if (named !== undefined) {
        const [outer = ''] = argument.split('.');
        argument = `${depth === '' ? '' : `${outer}.`}${named.replaceAll("'", '')}`;
      }
      const below = /^ {8}(?: {4})?(\w+):(?: \S+)?$/.exec(line)?.[1];
      const key = /^ {4}(\w+): \S+$/.exec(line)?.[1] ?? (below === undefined ? undefined : `args.${argument}.${below}`);
      const comment = key === undefined ? undefined : own[key];
      return comment === undefined ? line : `${line} # ${comment}`;
    })
    .join('\n');
}
