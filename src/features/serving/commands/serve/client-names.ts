/** The clients that `--print-config` supports. */
export const CLIENT_NAMES = ['claude', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf'] as const;
