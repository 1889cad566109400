import { z } from 'zod';
import { common } from '../common-schema.ts';

/** `type: script`: tools written in TypeScript or JavaScript, loaded as they are. */
export const scriptTool = z.strictObject({
  ...common,
  type: z.literal('script'),
  name: common.name.optional(),
  description: common.description.optional(),
  file: z
    .string()
    .regex(/\.[cm]?[jt]s$/)
    .describe('A .ts or .js file that exports tools'),
});
