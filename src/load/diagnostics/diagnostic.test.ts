import { expect, it } from 'vitest';
import { ConfigError, formatDiagnostic } from './diagnostic.ts';

it('shows foreign texts without letting them control the terminal or add lines', () => {
  const text = formatDiagnostic({
    severity: 'warning',
    file: 'pegboard.yaml',
    path: ['mcpServers', 'x', 'tools', '\u001B[31mred\nerror pegboard.yaml'],
    message: 'it said \u001B]0;title\u0007no\u001B[0m.',
  });
  for (const character of ['\n', '\u0007', '\u001B']) expect(text).not.toContain(character);
  expect(text).toBe(
    String.raw`pegboard.yaml mcpServers.x.tools.\u001b[31mred\nerror pegboard.yaml: it said \u001b]0;title\u0007no\u001b[0m.`,
  );
});

it('is an error with its own code and without a tool', () => {
  const error = new ConfigError([{ severity: 'error', file: 'a.yaml', path: ['tools'], message: 'must be a list' }]);
  expect(error.toolName).toBeUndefined();
  expect(error.toJSON()).toEqual({
    code: 'invalid_config',
    message: 'a.yaml tools: must be a list',
    issues: [{ path: ['tools'], message: 'must be a list' }],
    recoverable: false,
  });
});
