import { relative, resolve } from 'node:path';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { SectionValue } from '../../load/features/built-in-section.ts';
import type { Placed } from '../../load/features/section.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { loadFile } from '../../load/load-file.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { OfferPlace, OfferRequest, OfferSource, SkillEntry } from '../../tool/offers.ts';
import { typeOfFile } from '../../platform/file-type.ts';
import { stripDeceiving } from '../../tool/texts/reveal-hidden.ts';
import { SKILL_MARK } from '../../tool/tool-marks.ts';
import type { Tool } from '../../tool/tool.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { readSkillBytes, readSkills, readSkillText, scriptTools, type Skill } from './read-skills.ts';

/** The sections `skills` of all files. */
type SkillSections = readonly Placed<SectionValue<'skills'>>[];

/** A skill of a board, as a tool and as resources. */
export interface BoardSkill {
  readonly skill: Skill;
  readonly source: string;
  readonly tool: Tool;
  /** Its origin in the lock. */
  readonly origin: string;
}

/** The skills of the files, with diagnostics. */
export interface LoadedSkills {
  readonly skills: readonly BoardSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the skills of the files. Of two with the same name, the last one is used, and a warning is reported. */
export function loadSkills(sections: SkillSections): LoadedSkills {
  const skills = new Map<string, BoardSkill>();
  const diagnostics: Diagnostic[] = [];
  for (const section of sections) {
    const [folder, source] = [section.folder(), section.source()];
    for (const { path } of foldersOf(section)) {
      const read = readSkills(resolve(folder, path));
      for (const { severity, message } of read.faults)
        diagnostics.push(section.at([], `"${path}": ${message}`, severity));
      for (const skill of read.skills) {
        if (skills.has(skill.name)) {
          const message = `the skill "${skill.name}" exists twice; the one in "${path}" is used.`;
          diagnostics.push(section.at([], message, 'warning'));
        }
        const origin = `skill ${relative(folder, skill.folder).replaceAll('\\', '/')}`;
        skills.set(skill.name, { skill, source, tool: skillTool(skill, source), origin });
      }
    }
  }
  return { skills: [...skills.values()], diagnostics };
}

/** Returns the scripts of skills as files with tools, if the files enable that. */
export function loadScripts(
  sections: SkillSections,
  { env, cwd }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): LoadedFile[] {
  return sections.flatMap((section) => {
    const folder = section.folder();
    return foldersOf(section).flatMap(({ path, scripts = false }) => {
      const tools = scripts ? readSkills(resolve(folder, path)).skills.flatMap(scriptTools) : [];
      if (tools.length === 0) return [];
      const text = JSON.stringify({ name: section.source(), tools });
      const name = `${section.at([], '').file} (scripts of ${path})`;
      return [loadFile(Buffer.from(text), name, { env, folder, cwd, isInline: true })];
    });
  });
}

function foldersOf({
  value,
}: SkillSections[number]): { readonly path: string; readonly scripts?: boolean | undefined }[] {
  return [value].flat().map((one) => (typeof one === 'string' ? { path: one } : one));
}

/** Creates the tool of a skill: a call returns its instructions, or a file that they name. */
function skillTool(skill: Skill, source: string): Tool {
  const { name, description, files } = skill;
  return defineTool({
    ...SKILL_MARK,
    name: `skill__${name}`,
    displayName: `Skill: ${name}`,
    description: `${description} (A skill: call it for instructions, then follow them.)`,
    category: 'skill',
    source,
    risk: 'read',
    // A change of any file changes the skill, which the lock reports.
    _meta: {
      'io.modelcontextprotocol.skills/files': Object.fromEntries(files.map(({ path, digest }) => [path, digest])),
    },
    paths: [],
    schema: {
      type: 'object',
      properties: { file: { type: 'string', description: 'A file that the instructions name. Default: SKILL.md' } },
      additionalProperties: false,
    },
    execute: ({ file = 'SKILL.md' }: { file?: string }) => {
      const wanted = file.replace(/^\.\//, '');
      const bytes = readSkillBytes(skill, wanted);
      if (bytes === undefined) {
        const names = files.map(({ path }) => path).slice(0, 50);
        const message = `The skill "${name}" has no file "${file}". It has: ${names.join(', ')}.`;
        throw new ToolError({ code: 'not_found', message, field: 'file' });
      }
      const text = stripDeceiving(bytes.toString('utf8'));
      const others = files.filter(({ path }) => path !== 'SKILL.md').map(({ path }) => path);
      const note =
        wanted === 'SKILL.md' && others.length > 0 ? `\n\nFiles of this skill: ${others.slice(0, 100).join(', ')}` : '';
      return text + note;
    },
  });
}

/**
 * Lists skills as resources, as MCP's skills extension defines them. `isOnBoard` returns true for skills that the lock and the policies
 * allow.
 */
export function skillOffers(skills: readonly BoardSkill[], isOnBoard: (tool: string) => boolean): OfferSource {
  const isThere = ({ skill, source, tool }: BoardSkill, request: OfferRequest): boolean => {
    const place: OfferPlace = { type: 'resource', id: uriOf(skill), source };
    return isOnBoard(tool.metadata.name) && (request.allows?.(place) ?? true);
  };
  const used = (request: OfferRequest): readonly BoardSkill[] => skills.filter((one) => isThere(one, request));
  return {
    prompts: () => [],
    templates: () => [],
    resources: (request) =>
      used(request).map(({ skill, source }) => {
        const uri = uriOf(skill);
        const { name, description } = skill;
        return {
          id: uri,
          source,
          listing: { uri, name, description, mimeType: 'text/markdown', size: skill.files[0]?.size },
        };
      }),
    skills: (request) => used(request).map(({ skill }) => toEntry(skill)),
    get: async () => undefined,
    async read(uri, request) {
      for (const { skill } of used(request)) {
        const file = skill.files.find(({ path }) => uriOf(skill, path) === uri);
        if (file === undefined) continue;
        const bytes = readSkillBytes(skill, file.path) ?? Buffer.alloc(0);
        const isText = Buffer.from(bytes.toString('utf8')).equals(bytes);
        const mimeType = typeOfFile(file.path);
        // The exact bytes: clients compare them with the digest.
        const content = isText ? { text: readSkillText(skill, file.path) } : { blob: bytes.toString('base64') };
        return { contents: [{ uri, mimeType, ...content }] };
      }
      return undefined;
    },
    complete: async () => undefined,
    follow: async () => undefined,
  };
}

function toEntry(skill: Skill): SkillEntry {
  const resources = skill.files.map(({ path, digest, size }) => ({ uri: uriOf(skill, path), digest, size }));
  return { uri: uriOf(skill), frontmatter: skill.frontmatter, resources };
}

function uriOf({ name }: Skill, path = 'SKILL.md'): string {
  return `skill://${name}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
