import { basename } from 'node:path';

/** Programs that run git in their folder. */
const GIT = /^(?:git(?:-[a-z-]+)?|gh|glab|hub|tig)(?:\.exe)?$/i;
/** Git must not use a bare repository just because it is in a folder. */
const EXPLICIT = 'safe.bareRepository=explicit';

/** True when a program is git, or calls git in its folder. */
export function isGit(program: string): boolean {
  return GIT.test(basename(program));
}

/** Adds git settings to an environment: every git below a command reads them, and a repository cannot override them. */
export function withGitSettings(
  env: Readonly<Record<string, string>>,
  settings: readonly string[] = [EXPLICIT],
): Record<string, string> {
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0;
  const added = settings.flatMap((setting, index): [string, string][] => {
    const [name = '', value = ''] = setting.split('=');
    return [
      [`GIT_CONFIG_KEY_${count + index}`, name],
      [`GIT_CONFIG_VALUE_${count + index}`, value],
    ];
  });
  return { ...env, GIT_CONFIG_COUNT: String(count + settings.length), ...Object.fromEntries(added) };
}
