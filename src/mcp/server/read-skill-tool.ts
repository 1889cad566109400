import { HELPER_MARK, isSkillTool } from '../../tool/tool-marks.ts';
import { isPlainObject } from '../../tool/json.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import type { CallOptions } from '../../pipeline/call-options.ts';
import type { ProxyTool } from '../../pipeline/proxy-tool.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';

const START = 'skill__';
/** The most characters about all skills. */
const MAX_LISTED = 8_000;

/**
 * Creates `read_skill` for clients without the skills extension: one tool for all skills instead of a tool for each. Its calls run the
 * named skill, and are guarded and counted as such. `undefined` if the caller has no skill.
 */
export function createReadSkill(registry: ToolRegistry): ProxyTool | undefined {
  const skills = registry.getAll().filter(isSkillTool);
  if (skills.length === 0 || registry.has('read_skill')) return undefined;
  const tool = defineTool({
    ...HELPER_MARK,
    name: 'read_skill',
    description: `Read the instructions of a skill, or a file that they name, before work of its kind. Skills:\n${listSkills(skills)}`,
    risk: 'read',
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'The skill' },
        file: { type: 'string', description: 'A file that its instructions name. Default: SKILL.md' },
      },
      required: ['name'],
      additionalProperties: false,
    },
    execute: (input, context) => forward(input, { context, signal: context.signal }),
  });

  function targetName(args: unknown): string | undefined {
    const name = isPlainObject(args) ? args['name'] : undefined;
    return typeof name === 'string' ? START + name.replace(START, '') : undefined;
  }

  async function forward(args: unknown, options: CallOptions): Promise<ToolResult> {
    const { executor } = registry;
    const skill = skills.find(({ metadata }) => metadata.name === targetName(args));
    if (skill === undefined) {
      const names = skills.map(({ metadata }) => metadata.name.slice(START.length)).slice(0, 50);
      const message = `There is no such skill. Use one of: ${names.join(', ')}.`;
      return executor.refuse(
        new ToolError({ code: 'not_found', message, toolName: 'read_skill', field: 'name' }),
        options,
      );
    }
    const file = isPlainObject(args) ? args['file'] : undefined;
    return executor.execute(skill, file === undefined ? {} : { file }, options);
  }

  return Object.assign(tool, { forward, targetName });
}

function listSkills(skills: readonly Tool[]): string {
  let room = MAX_LISTED;
  const lines = skills.flatMap(({ metadata }) => {
    const line = `- ${metadata.name.slice(START.length)}: ${metadata.description.replace(/ \(A skill: [^)]*\)$/, '')}`;
    room -= line.length;
    return room < 0 ? [] : [line];
  });
  const more = skills.length - lines.length;
  return [...lines, ...(more > 0 ? [`… and ${more} more: search_tools finds them.`] : [])].join('\n');
}
