/** The clients whose configs can be printed and written, by the names that `--print-config` takes. */
export const CLIENT_NAMES = ['claude', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf'] as const;
