import type { ExportResult } from '../../export/export-tools.ts';
import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import { printJson, printLine } from '../cli-context.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT } from '../command.ts';
import { parseChoice } from '../parse-values.ts';
import { createStyle } from '../print/style.ts';
import { redactorOf, useBoard } from '../use-board.ts';

const FORMATS = ['openai', 'anthropic', 'gemini', 'mcp', 'prompt'] as const;

/** `pegboard export`: the board in a provider's format. */
export const exportCommand = defineCommand({
  name: 'export',
  description:
    "Prints the tools as JSON in a provider's format. What had to be changed for the provider is told on stderr.",
  arguments: [FILES_ARGUMENT],
  options: {
    ...FILE_OPTION,
    format: { type: 'string', value: 'FORMAT', description: `One of: ${FORMATS.join(', ')}` },
    strict: { type: 'boolean', description: "Schemas for OpenAI's strict mode" },
    responses: { type: 'boolean', description: "The shape of OpenAI's Responses API" },
  },
  examples: [
    ['pegboard export --format openai > tools.json', 'for the tools field of a chat completion'],
    ['pegboard export --format mcp git.yaml', 'what an MCP client sees'],
  ],
  run: ({ values, positionals, json, context }) => {
    const format = parseChoice(values.format, FORMATS, { option: '--format', command: 'export' });
    return useBoard([...positionals, ...values.file], { context }, async ({ registry, files }) => {
      const redactor = redactorOf({ files });
      if (format === 'prompt') {
        const text = redactor.text(registry.generatePrompt());
        if (json) printJson(context, { prompt: text });
        else printLine(context.stdout, text);
        return 0;
      }
      const { tools, report } = await exportAs(format, registry, values);
      printJson(context, redactor.data(tools));
      const style = createStyle(context.stderr, context.env);
      for (const { tool, path, action, message } of report.entries) {
        const label = action === 'quarantined' ? style.red('left out') : style.yellow(action);
        printLine(context.stderr, `${label} ${tool} ${path}: ${message}`);
      }
      return report.quarantined.length > 0 ? 1 : 0;
    });
  },
});

type Exported = Pick<ExportResult<unknown>, 'tools' | 'report'>;

async function exportAs(
  format: Exclude<(typeof FORMATS)[number], 'prompt'>,
  registry: ToolRegistry,
  { strict, responses }: { readonly strict: boolean; readonly responses: boolean },
): Promise<Exported> {
  switch (format) {
    case 'openai': {
      const { toOpenAITools } = await import('../../export/openai.ts');
      return responses ? toOpenAITools(registry, { format: 'responses', strict }) : toOpenAITools(registry, { strict });
    }
    case 'anthropic':
      return (await import('../../export/anthropic.ts')).toAnthropicTools(registry);
    case 'gemini':
      return (await import('../../export/gemini.ts')).toGeminiTools(registry);
    case 'mcp':
      return (await import('../../export/mcp.ts')).toMcpTools(registry);
  }
}
