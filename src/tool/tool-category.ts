/** The predefined categories. A tool may have any other string, or none. */
export const ToolCategory = {
  FILE_SYSTEM: 'file-system',
  WEB: 'web',
  CODE: 'code',
  DATABASE: 'database',
  API: 'api',
  UTILITY: 'utility',
  CUSTOM: 'custom',
} as const;

/** A predefined category, or one of your own. */
export type ToolCategory = (typeof ToolCategory)[keyof typeof ToolCategory] | (string & {});
