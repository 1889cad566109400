import { nearestNames } from '../../../tool/texts/suggest.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import { findBoardFile } from '../../../cli/shared/board/change-board.ts';
import { planChange } from '../../../load/change-file.ts';
import { defineCommand, FILE_OPTION } from '../../../cli/shared/command.ts';
import { serversOf } from './server-entry.ts';

export const mcpRemove = defineCommand({
  name: 'mcp remove',
  description: 'Removes the entry of an MCP server from the config file. The rest of the file stays unchanged.',
  arguments: [{ name: 'SERVER', description: 'Its name under mcpServers', required: true, completes: 'servers' }],
  options: FILE_OPTION,
  examples: [['pegboard mcp remove memory', 'remove the server "memory"']],
  async run({ values, positionals: [name = ''], context }) {
    const file = findBoardFile(values.file, 'mcp remove', context);
    const known = Object.keys(serversOf(file));
    if (!known.includes(name)) {
      const [nearest] = nearestNames(name, known, 1);
      const hint = nearest === undefined ? `There are: ${known.join(', ') || 'none'}.` : `Did you mean "${nearest}"?`;
      const message = `${file.shown} has no server "${name}". ${hint} See the file of each server with: pegboard mcp list`;
      throw new ToolError({ code: 'not_found', message });
    }
    planChange(file, [{ section: 'mcpServers', remove: name }], context).write();
    return { data: { written: file.shown, removed: name }, view: `Removed ${name} from ${file.shown}.` };
  },
});
