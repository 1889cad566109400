import { z } from 'zod';

/** The keys of `type: script`: tools written in TypeScript or JavaScript, loaded without a build. */
export const scriptKeys = z.strictObject({
  file: z
    .string()
    .regex(/\.[cm]?[jt]s$/)
    .describe('A .ts or .js file that exports tools'),
});
