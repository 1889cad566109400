// A board with all that the conformance suite wants, behind our own server. Prints its address.
import { defineTool, ToolRegistry } from '../../src/index.ts';
import { McpServer, serveHttp } from '../../src/mcp.ts';
import { conformancePrompts, conformanceResources } from './conformance-sources.ts';
import { askingTools, longTools, plainTools } from './conformance-tools.ts';

const registry = new ToolRegistry().registerMany([...plainTools, ...askingTools, ...longTools]);
const prompts: string[] = [];
const server = new McpServer(
  { registry },
  {
    name: 'pegboard-conformance',
    version: '1.0.0',
    mode: 'classic',
    tasks: {
      always: ['slow_compute', 'protocol_error_job', 'confirm_delete', 'multi_input'],
      only: ['failing_job', 'test_tool_with_task'],
    },
    prompts: [conformancePrompts(() => prompts)],
    resources: [conformanceResources],
  },
);
const none = { type: 'object', properties: {} };
registry.registerMany([
  defineTool({
    name: 'test_trigger_tool_change',
    description: 'Changes the list of tools',
    schema: none,
    execute() {
      if (!registry.remove('test_extra')) {
        registry.register(
          defineTool({ name: 'test_extra', description: 'Comes and goes', schema: none, execute: () => 'Here.' }),
        );
      }
      return 'Changed.';
    },
  }),
  defineTool({
    name: 'test_trigger_prompt_change',
    description: 'Changes the list of prompts',
    schema: none,
    execute() {
      prompts.push(`test_extra_${prompts.length}`);
      server.listChanged('prompts');
      return 'Changed.';
    },
  }),
]);

const http = await serveHttp(server, { port: Number(process.argv[2] ?? 0), token: false });
process.stdout.write(`${http.url}\n`);
process.on('SIGTERM', () => void http.close().then(() => process.exit(0)));
