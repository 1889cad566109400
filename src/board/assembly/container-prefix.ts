import { isPlainObject } from '../../tool/json.ts';
import { expandHome } from '../../load/variables/expand-home.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';

/** The `docker run …` that a CLImax policy file puts in front of every command; nothing for its local executor. */
export function containerPrefix(
  files: readonly LoadedFile[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const executor = files
    .filter(({ dialect }) => dialect === 'climax-policy')
    .map(({ policy }) => policy?.['executor'])
    .findLast(isPlainObject);
  // The schema of a policy file lets only these types through.
  const { type, image, volumes, network, working_dir } = (executor ?? {}) as {
    readonly type?: string;
    readonly image?: string | null;
    readonly volumes?: readonly string[];
    readonly network?: string | null;
    readonly working_dir?: string | null;
  };
  if (type !== 'docker' || image == null) return [];
  return [
    'docker',
    'run',
    '--rm',
    '--interactive',
    ...(volumes ?? []).flatMap((volume) => ['-v', expandHome(volume, env)]),
    ...(network == null ? [] : ['--network', network]),
    ...(working_dir == null ? [] : ['-w', working_dir]),
    image,
  ];
}
