import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { dump } from 'js-yaml';
import { ToolError } from '../../../tool/tool-error.ts';
import { type CliContext, printJson, printLine, printText } from '../../cli-context.ts';
import { counted } from '../../print/columns.ts';
import { createStyle } from '../../print/style.ts';

/** A config file that a command made. */
export interface MadeConfig {
  /** Comment lines at its top. */
  readonly remarks: readonly string[];
  readonly data: { readonly name: string; readonly tools: readonly unknown[] };
  /** What stands behind a key of a tool, by the names of the tool and the key. */
  readonly comments?: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** What the person should know, and the file cannot say. */
  readonly notes: readonly string[];
}

/** Puts a config file where it was asked for: to a new file, or to stdout; notes go to stderr. */
export function writeYaml(
  { remarks, data, notes, comments = new Map() }: MadeConfig,
  { out, json }: { readonly out: string | undefined; readonly json: boolean },
  context: CliContext,
): void {
  const yaml = formatMade({ remarks, data, comments });
  if (out !== undefined) {
    const file = resolve(context.cwd, out);
    if (existsSync(file)) {
      throw new ToolError({
        code: 'invalid_arguments',
        message: `${out} exists and stays as it is. Choose another name for --out, or remove the file first.`,
      });
    }
    writeFileSync(file, yaml, { flag: 'wx' });
  }
  if (json) {
    printJson(context, out === undefined ? { ...data, notes } : { written: out, tools: data.tools.length, notes });
    return;
  }
  const style = createStyle(context.stderr, context.env);
  for (const note of notes) printLine(context.stderr, `${style.yellow('note')} ${note}`);
  if (out === undefined) printText(context.stdout, yaml);
  else
    printLine(
      context.stdout,
      `Wrote ${counted(data.tools.length, 'tool')} to ${out}. Check them with: pegboard validate ${out}`,
    );
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
