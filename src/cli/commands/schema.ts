import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CONFIG_SCHEMAS } from '../../load/schema.generated.ts';
import { printJson, printLine } from '../cli-context.ts';
import { defineCommand } from '../command.ts';

/** `pegboard schema`: the JSON Schema that editors complete and check pegboard.yaml with. */
export const schema = defineCommand({
  name: 'schema',
  description: 'Prints the JSON Schema of pegboard.yaml, for editors.',
  options: { write: { type: 'string', short: 'w', value: 'FILE', description: 'Write it to a file instead' } },
  examples: [['pegboard schema --write pegboard.schema.json', 'beside the config, for its $schema comment']],
  async run({ values, json, context }) {
    if (values.write === undefined) {
      printJson(context, CONFIG_SCHEMAS.board);
      return 0;
    }
    writeFileSync(resolve(context.cwd, values.write), formatSchema());
    if (json) printJson(context, { written: values.write });
    else printLine(context.stdout, `Wrote ${values.write}.`);
    return 0;
  },
});

/** The text of pegboard.schema.json. */
export function formatSchema(): string {
  return `${JSON.stringify(CONFIG_SCHEMAS.board, undefined, 2)}\n`;
}
