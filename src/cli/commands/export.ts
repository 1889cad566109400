import { printLine } from '../shared/cli-context.ts';
import { defineCommand, FILES_ARGUMENT, flag, valueOption, WAIT_OPTION } from '../shared/command.ts';
import { parseChoice } from '../shared/parse-values.ts';
import { createStyle } from '../shared/print/style.ts';
import { readingBoard, redactorOf } from '../shared/board/use-board.ts';

export const exportCommand = defineCommand({
  name: 'export',
  description: "Prints the tools as JSON in a provider's format. Changes made for the provider are reported on stderr.",
  arguments: [FILES_ARGUMENT],
  options: {
    ...WAIT_OPTION,
    format: valueOption('FORMAT', 'One of: openai, anthropic, gemini, mcp, prompt, or a format of a plugin'),
    strict: flag("Rewrite schemas for OpenAI's strict mode"),
    responses: flag("Use the format of OpenAI's Responses API"),
    programmatic: flag('Allow programs run by OpenAI or Anthropic to call the tools'),
  },
  examples: [
    ['pegboard export --format openai > tools.json', 'for the tools field of a chat completion'],
    ['pegboard export --format mcp git.yaml', 'what an MCP client sees'],
  ],
  board: readingBoard,
  async run({ values, context, board: { registry, files, plugins } }) {
    const { builtInExporters } = await import('../../export/exporters.ts');
    const exporters = [...builtInExporters, ...plugins.flatMap((plugin) => plugin.exporters ?? [])];
    const formats = [...exporters.map((exporter) => exporter.format), 'prompt'];
    const format = parseChoice(values.format, formats, { option: '--format', command: 'export' });
    const redactor = redactorOf({ files });
    const exporter = exporters.find((one) => one.format === format);
    if (exporter === undefined) {
      const text = redactor.text(registry.generatePrompt());
      return { data: { prompt: text }, view: text };
    }
    const { tools, report } = exporter.export(registry, {
      strict: values.strict,
      format: values.responses ? 'responses' : 'chat',
      programmatic: values.programmatic,
    });
    const style = createStyle(context.stderr, context.env);
    for (const { tool, path, action, message } of report.entries) {
      const label = action === 'quarantined' ? style.red('left out') : style.yellow(action);
      printLine(context.stderr, `${label} ${tool} ${path}: ${message}`);
    }
    return { data: redactor.data(tools), exitCode: report.quarantined.length > 0 ? 1 : 0 };
  },
});
