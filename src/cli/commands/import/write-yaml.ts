import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { dump, load } from 'js-yaml';
import { isPlainObject } from '../../../tool/json.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { type CliContext, printJson, printLine, printText } from '../../cli-context.ts';
import { counted } from '../../print/columns.ts';
import { createStyle } from '../../print/style.ts';

/** A config file that a command made. */
export interface MadeConfig {
  /** Comment lines at its top. */
  readonly remarks: readonly string[];
  readonly data: { readonly name: string; readonly http?: unknown; readonly tools: readonly unknown[] };
  /** What stands behind a key of a tool, by the names of the tool and the key. */
  readonly comments?: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** What the person should know, and the file cannot say. */
  readonly notes: readonly string[];
}

/** Where a config file goes, and what happens to one that is there. */
export interface WriteTarget {
  readonly out: string | undefined;
  readonly json: boolean;
  /** Adds tools that the file does not have; all others stay as they are. */
  readonly update: boolean;
  /** Writes the file anew. */
  readonly replace: boolean;
}

/** The options of commands that write a config file. */
export const WRITE_OPTIONS = {
  out: { type: 'string', short: 'o', value: 'FILE', description: 'Write to a file instead of stdout' },
  update: { type: 'boolean', description: 'Add what is new to the file of --out; what is there stays as it is' },
  replace: { type: 'boolean', description: 'Write the file of --out anew' },
} as const;

/** Puts a config file where it was asked for: to a file, or to stdout; notes go to stderr. */
export function writeYaml(made: MadeConfig, { out, json, update, replace }: WriteTarget, context: CliContext): void {
  const { data } = made;
  const file = out === undefined ? undefined : resolve(context.cwd, out);
  const isThere = file !== undefined && existsSync(file);
  const added = isThere && update && !replace ? addToFile(readFileSync(file, 'utf8'), made, out ?? file) : undefined;
  const notes = [...made.notes, ...(added?.notes ?? [])];
  const yaml = added?.text ?? formatMade(made);
  if (file !== undefined) {
    if (isThere && added === undefined && !replace) {
      throw new ToolError({
        code: 'invalid_arguments',
        message: `${out} exists and stays as it is. Add --update to add what is new and keep the rest, --replace to write it anew, or choose another name.`,
      });
    }
    writeFileSync(file, yaml, isThere ? {} : { flag: 'wx' });
  }
  const count = added?.count ?? data.tools.length;
  if (json) {
    printJson(context, out === undefined ? { ...data, notes } : { written: out, tools: count, notes });
    return;
  }
  const style = createStyle(context.stderr, context.env);
  for (const note of notes) printLine(context.stderr, `${style.yellow('note')} ${note}`);
  if (out === undefined) printText(context.stdout, yaml);
  else {
    if (added?.count === 0) {
      printLine(context.stdout, `Nothing is new: ${out} stays as it is.`);
      return;
    }
    const done = added === undefined ? `Wrote ${counted(count, 'tool')}` : `Added ${counted(count, 'new tool')}`;
    printLine(context.stdout, `${done} to ${out}. Check them with: pegboard validate ${out}`);
  }
}

/** A file that was there, with what is new behind its last tool. */
interface AddedTools {
  readonly text: string;
  readonly count: number;
  readonly notes: readonly string[];
}

/** Adds the tools that a file does not have. Its own text stays byte for byte, with what people changed in it. */
function addToFile(text: string, made: MadeConfig, shown: string): AddedTools {
  const known = toolsOf(text, shown);
  const lastKey = text.split('\n').findLast((line) => /^[^\s#-]/.test(line)) ?? '';
  if (!/^tools:\s*(?:#.*)?$/.test(lastKey)) {
    throw new ToolError({
      code: 'invalid_config',
      message: `${shown} cannot be updated: "tools:" must be its last section, with one tool for each "- name:". Move it to the end, or write another file.`,
    });
  }
  const isNew = (tool: unknown): boolean => !known.has(nameOf(tool));
  const added = made.data.tools.filter(isNew);
  const now = new Map(made.data.tools.map((tool) => [nameOf(tool), tool]));
  const differing = [...known].filter(([name, tool]) => now.has(name) && !isDeepStrictEqual(tool, now.get(name)));
  const indent = /^( *)- /m.exec(text.slice(text.lastIndexOf('\ntools:')))?.[1] ?? '  ';
  const entries = formatMade({ ...made, remarks: [], data: { name: '', tools: added } })
    .replace(/^name: .*\ntools:\n/, '')
    .replaceAll(/^ {2}/gm, indent);
  const names = differing.map(([name]) => name);
  return {
    text: added.length === 0 ? text : `${text.trimEnd()}\n${entries}`,
    count: added.length,
    notes:
      names.length === 0
        ? []
        : [
            `Kept as they are, although they would be made otherwise now: ${names.slice(0, 8).join(', ')}${names.length > 8 ? ` and ${names.length - 8} more` : ''}.`,
          ],
  };
}

/** The tools of a file by their names. */
function toolsOf(text: string, shown: string): ReadonlyMap<string, unknown> {
  try {
    const data = load(text, { filename: shown });
    const tools = isPlainObject(data) && Array.isArray(data['tools']) ? data['tools'] : [];
    return new Map(tools.map((tool: unknown) => [nameOf(tool), tool]));
  } catch (error) {
    throw new ToolError({ code: 'invalid_config', message: `${shown} is no YAML: ${messageOf(error)}`, cause: error });
  }
}

function nameOf(tool: unknown): string {
  return isPlainObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : '';
}

/** The text of a config file that a command made. */
export function formatMade({ remarks, data, comments = new Map() }: Omit<MadeConfig, 'notes'>): string {
  const top = remarks.map((remark) => `# ${remark}\n`).join('');
  return `${top}${addComments(dump(data, { noRefs: true, lineWidth: 120 }), comments)}`;
}

/** Puts comments behind the keys of tools, each of which begins with its name. */
function addComments(yaml: string, comments: NonNullable<MadeConfig['comments']>): string {
  if (comments.size === 0) return yaml;
  let own: Readonly<Record<string, string>> = {};
  return yaml
    .split('\n')
    .map((line) => {
      const name = /^ {2}- name: (.*)$/.exec(line)?.[1];
      if (name !== undefined) own = comments.get(name) ?? {};
      const key = /^ {4}(\w+): \S+$/.exec(line)?.[1];
      const comment = key === undefined ? undefined : own[key];
      return comment === undefined ? line : `${line} # ${comment}`;
    })
    .join('\n');
}
