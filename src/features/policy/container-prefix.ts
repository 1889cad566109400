import type { PolicySection } from '../../guard/policy/policy-section.ts';
import type { Placed } from '../../load/features/section.ts';
import { expandHome } from '../../load/variables/interpolate.ts';

/** The `docker run …` that a CLImax policy file puts in front of every command; nothing for its local executor. */
export function containerPrefix(
  sections: readonly Placed<PolicySection>[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const executor = sections.map(({ value }) => value.executor).findLast((one) => one !== undefined);
  const { type, image, volumes, network, working_dir } = executor ?? {};
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
