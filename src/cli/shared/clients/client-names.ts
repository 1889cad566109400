/** The MCP clients whose files can be read and changed. */
export const CLIENT_NAMES = [
  'claude',
  'claude-code',
  'cursor',
  'vscode',
  'codex',
  'gemini',
  'windsurf',
  'zed',
] as const;

export type ClientName = (typeof CLIENT_NAMES)[number];
