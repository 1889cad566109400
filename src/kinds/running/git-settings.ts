import { basename } from 'node:path';

/** Programs that run git in their folder. */
const GIT = /^(?:git(?:-[a-z-]+)?|gh|glab|hub|tig)(?:\.exe)?$/i;
/** A bare repository is not taken for one because it lies in a folder. */
const EXPLICIT = 'safe.bareRepository=explicit';

/** Tells whether a program is git, or asks git about its folder. */
export function isGit(program: string): boolean {
  return GIT.test(basename(program));
}

/** Adds settings to an environment that every git below a command reads, and that those of a repository cannot change. */
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
