import type { Tool } from '../tool/tool.ts';
import { brokenTools } from './broken/broken-tool.ts';
import { checkCli } from './cli/check-cli.ts';
import { cliTool } from './cli/cli-tool.ts';
import { compileHttp, httpTool } from './http/http-tool.ts';
import type { EntryFault, KindHost } from './kind-host.ts';
import { ragTools } from './rag/rag-tools.ts';
import { checkRun } from './run/check-run.ts';
import { runTool } from './run/run-tool.ts';
import { loadScript } from './script/load-script.ts';
import type { ToolEntry } from './tool-entry.ts';

/** What is wrong with an entry beyond its shape. */
export function checkEntry(entry: ToolEntry): EntryFault[] {
  switch (entry.type) {
    case 'cli':
      return checkCli(entry);
    case 'run':
      return checkRun(entry);
    case 'http':
      return compileHttp(entry).faults;
    default:
      return [];
  }
}

/** Makes the tools of an entry. Those of other servers are made when it is known what they offer. */
export async function toTools(entry: ToolEntry, host: KindHost): Promise<Tool[]> {
  switch (entry.type) {
    case 'cli':
      return [cliTool(entry, host)];
    case 'run':
      return [runTool(entry, host)];
    case 'http':
      return [httpTool(entry, host)];
    case 'script':
      return loadScript(entry);
    case 'rag':
      return ragTools(entry, host);
    case 'broken':
      return brokenTools(entry);
    case 'mcp':
      return [];
  }
}
