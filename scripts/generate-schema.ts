// Writes the JSON Schemas that the loader uses without zod, and pegboard.schema.json, which editors use.
import { writeFileSync } from 'node:fs';
import { generateSchemas } from './config-schemas.ts';

for (const [file, text] of Object.entries(generateSchemas())) writeFileSync(file, text);
// After the modules that it is made of.
const { formatBoardSchema } = await import('../src/load/board-file-schema.ts');
const { BUILT_IN_KINDS } = await import('../src/kinds/built-in-kinds.ts');
writeFileSync('pegboard.schema.json', formatBoardSchema(BUILT_IN_KINDS));
