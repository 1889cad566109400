/** The categories every board knows. A tool may also carry any other string, or none. */
export const ToolCategory = {
  FILE_SYSTEM: 'file-system',
  WEB: 'web',
  CODE: 'code',
  DATABASE: 'database',
  API: 'api',
  UTILITY: 'utility',
  CUSTOM: 'custom',
} as const;

/** One of the known categories, or a category of your own. */
export type ToolCategory = (typeof ToolCategory)[keyof typeof ToolCategory] | (string & {});
