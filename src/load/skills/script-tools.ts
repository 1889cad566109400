import { extname, join } from 'node:path';
import type { Skill } from './read-skills.ts';

/** The program that runs a script, by file extension; without one the file itself is run. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['node'],
  '.mjs': ['node'],
  '.py': ['python3'],
  '.rb': ['ruby'],
  '.sh': ['sh'],
  '.ts': ['node'],
};

/**
 * Lists the scripts of a skill as tools in the form of board files. Their effects are unknown, so no risk is set: policies assume that they
 * write.
 */
export function scriptTools(skill: Skill): readonly Readonly<Record<string, unknown>>[] {
  return skill.files
    .filter(({ path }) => /^scripts\/[A-Za-z0-9._-]+$/.test(path))
    .map(({ path }) => {
      const file = path.slice('scripts/'.length);
      const plain = file.replace(/\.[^.]+$/, '').replaceAll(/[^A-Za-z0-9_-]/g, '_');
      return {
        name: `skill__${skill.name}__${plain}`.slice(0, 64),
        type: 'cli',
        description: `Run ${path} of the skill ${skill.name}. Its instructions say what it takes.`,
        command: [...(RUNNERS[extname(file).toLowerCase()] ?? []), join(skill.folder, path)],
        args: [
          { name: 'arguments', type: 'array', positional: true, description: 'What the script is given, in order' },
        ],
        category: 'skill',
      };
    });
}
