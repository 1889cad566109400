import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';
import { isInside } from '../../guard/policy/resolve-real-path.ts';
import { inspectText } from '../../guard/lock/inspect-description.ts';
import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { readYaml } from '../../load/yaml/read-yaml.ts';

interface SkillFile {
  /** Path below the skill's folder, with `/`. */
  readonly path: string;
  readonly size: number;
  /** `sha256:` and the hash of its bytes. */
  readonly digest: string;
}

/** A skill: a folder with instructions for a kind of work. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** The complete front matter. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly folder: string;
  /** All files, `SKILL.md` first. */
  readonly files: readonly SkillFile[];
}

/** The skills of a folder, with messages about unusable ones and hidden content. */
interface ReadSkills {
  readonly skills: readonly Skill[];
  readonly faults: readonly { readonly severity: 'error' | 'warning'; readonly message: string }[];
}

/** Limits that every host of the skills extension accepts. */
const MAX_FILES = 512;
const MAX_BYTES = 16 * 1024 * 1024;
/** Maximum bytes of the instructions, which a model reads at once. */
const MAX_MAIN = 1024 * 1024;
const MAX_SKILLS = 500;
const MAX_DEPTH = 8;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAIN = 'SKILL.md';

/** Reads a folder of skills, or one skill. Does not follow links, so that nothing outside a skill becomes part of it. */
export function readSkills(folder: string): ReadSkills {
  const skills: Skill[] = [];
  const faults: { severity: 'error' | 'warning'; message: string }[] = [];
  const names = listFolders(folder);
  if (names === undefined) return { skills, faults: [{ severity: 'error', message: 'there is no such folder.' }] };
  for (const place of names.slice(0, MAX_SKILLS)) {
    try {
      const skill = readSkill(place);
      skills.push(skill);
      const hidden = inspectText(MAIN, readSkillText(skill, MAIN)).filter(({ kind }) => kind !== 'instruction');
      for (const { what } of hidden)
        faults.push({ severity: 'warning', message: `the skill "${skill.name}" contains hidden text: ${what}.` });
    } catch (error) {
      const message = `the skill in "${basename(place)}" is left out: ${messageOf(error)}`;
      faults.push({ severity: 'warning', message });
    }
  }
  if (names.length > MAX_SKILLS)
    faults.push({ severity: 'warning', message: `has ${names.length} folders; the first ${MAX_SKILLS} are used.` });
  return { skills, faults };
}

/** Returns the bytes of a skill's file if they still match the listed digest. */
export function readSkillBytes({ name, folder, files }: Skill, path: string): Buffer | undefined {
  const file = files.find((one) => one.path === path);
  if (file === undefined) return undefined;
  const place = join(folder, path);
  // A folder or file may have become a link meanwhile.
  if (!isInside(realpathSync(place), realpathSync(folder)))
    throw new Error(`"${path}" leads out of the skill "${name}".`);
  const bytes = readFileSync(place);
  if (digestOf(bytes) === file.digest) return bytes;
  throw new Error(`"${path}" of the skill "${name}" has changed. Reload the board to take it up.`);
}

export function readSkillText(skill: Skill, path: string): string {
  return readSkillBytes(skill, path)?.toString('utf8') ?? '';
}

function listFolders(folder: string): string[] | undefined {
  try {
    const items = readdirSync(folder, { withFileTypes: true });
    if (items.some((item) => item.name === MAIN && item.isFile())) return [folder];
    const names = items.filter((item) => item.isDirectory() && !item.name.startsWith('.')).map(({ name }) => name);
    return names.toSorted().map((name) => join(folder, name));
  } catch {
    return undefined;
  }
}

function readSkill(folder: string): Skill {
  const files = listFiles(folder);
  const main = files.find(({ path }) => path === MAIN);
  if (main === undefined) throw new Error(`it has no ${MAIN}.`);
  if (main.size > MAX_MAIN) throw new Error(`${MAIN} has ${main.size} bytes; ${MAX_MAIN} is the most.`);
  const text = readFileSync(join(folder, MAIN), 'utf8');
  const frontmatter = readFrontmatter(text);
  const { name, description } = frontmatter;
  if (typeof name !== 'string' || !NAME.test(name) || name.length > 64)
    throw new Error('its name must be 1 to 64 of a-z, 0-9 and single hyphens between them.');
  if (name !== basename(folder)) throw new Error(`its name "${name}" is not that of its folder.`);
  if (typeof description !== 'string' || description.trim() === '' || description.length > 1024)
    throw new Error('its description must have 1 to 1024 characters.');
  return { name, description: description.trim(), frontmatter, folder, files };
}

function readFrontmatter(text: string): Readonly<Record<string, unknown>> {
  const [, yaml] = /^---\r?\n([^]*?)\r?\n---(?:\r?\n|$)/.exec(text) ?? [];
  if (yaml === undefined) throw new Error(`${MAIN} does not begin with front matter between lines of ---.`);
  const { value } = readYaml(Buffer.from(yaml), MAIN);
  if (!isPlainObject(value)) throw new Error(`the front matter of ${MAIN} is not a mapping.`);
  return value;
}

function listFiles(folder: string): SkillFile[] {
  const found: SkillFile[] = [];
  let bytes = 0;
  const visit = (place: string, depth: number): void => {
    for (const name of readdirSync(place).toSorted()) {
      const path = join(place, name);
      const stats = lstatSync(path);
      if (stats.isDirectory() && depth < MAX_DEPTH && name !== '.git' && name !== 'node_modules')
        visit(path, depth + 1);
      if (!stats.isFile()) continue;
      bytes += stats.size;
      if (found.length >= MAX_FILES) throw new Error(`it has more than ${MAX_FILES} files.`);
      if (bytes > MAX_BYTES) throw new Error(`its files have more than ${MAX_BYTES} bytes.`);
      const content = readFileSync(path);
      found.push({
        path: relative(folder, path).split(sep).join('/'),
        size: content.length,
        digest: digestOf(content),
      });
    }
  };
  visit(folder, 0);
  return found.toSorted((one, other) => Number(other.path === MAIN) - Number(one.path === MAIN));
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

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
