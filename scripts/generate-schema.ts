// Writes pegboard.schema.json, which editors use, and the same schemas as a module, which the loader uses without zod.
import { writeFileSync } from 'node:fs';
import { generateSchemas } from './config-schemas.ts';

for (const [file, text] of Object.entries(generateSchemas())) writeFileSync(file, text);
