import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { boardFileSchema, formatBoardSchema } from '../../load/board-file-schema.ts';
import type { Sections } from '../../load/features/section.ts';
import { ConfigError } from '../../load/diagnostics/diagnostic.ts';
import { BUILT_IN_KINDS } from '../../kinds/built-in-kinds.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { CliContext } from '../shared/cli-context.ts';
import { defineCommand, FILE_OPTION, valueOption } from '../shared/command.ts';
import { lookMode } from '../shared/board/trust.ts';
import { printWarnings } from '../shared/board/use-board.ts';
import { tryFindConfig } from '../shared/board/find-config.ts';

export const schema = defineCommand({
  name: 'schema',
  description:
    'Prints the JSON Schema of pegboard.yaml for editors, including the kinds and sections of the board’s plugins.',
  options: {
    ...FILE_OPTION,
    write: valueOption('FILE', 'Write it to a file instead', { short: 'w' }),
  },
  examples: [
    ['pegboard schema --write pegboard.schema.json', 'for the $schema comment of the config'],
    ['pegboard schema --file other/pegboard.yaml', 'including the kinds of another board'],
  ],
  async run({ values, context }) {
    const { cwd } = context;
    const files = tryFindConfig(values.file, context);
    const { kinds, sections } =
      files === undefined ? { kinds: BUILT_IN_KINDS, sections: {} } : await partsOf(files, context);
    if (values.write === undefined) return { data: boardFileSchema(kinds, sections) };
    writeFileSync(resolve(cwd, values.write), formatBoardSchema(kinds, sections));
    return { data: { written: values.write }, view: `Wrote ${values.write}.` };
  },
});

/** Loads the kinds and sections that the files of a board may use. */
async function partsOf(
  files: readonly string[],
  context: CliContext,
): Promise<{ readonly kinds: readonly Kind[]; readonly sections: Sections }> {
  // Loaded only if there is a config to read.
  const { loadConfig } = await import('../../load/load-config.ts');
  const { cwd, env } = context;
  const { kinds, features, diagnostics } = await loadConfig(files, { cwd, env, mode: lookMode(files, context) });
  printWarnings(
    diagnostics.filter(({ path: [key] }) => key === 'plugins'),
    context,
  );
  const broken = diagnostics.filter(({ severity, path: [key] }) => severity === 'error' && key === 'plugins');
  if (broken.length > 0) throw new ConfigError(broken);
  return { kinds, sections: Object.assign({}, ...features.map((feature) => feature.sections)) };
}
