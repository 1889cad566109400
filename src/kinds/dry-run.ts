import { ToolError } from '../tool/tool-error.ts';
import type { Tool } from '../tool/tool.ts';
import { prepareCli } from './cli/cli-tool.ts';
import { prepareHttp } from './http/http-tool.ts';
import type { KindHost } from './kind-host.ts';
import { type DryKnowledge, prepareKnowledge } from './rag/dry-knowledge.ts';
import type { ReadyCommand } from './run-command.ts';
import { prepareRun } from './run/run-tool.ts';
import type { ToolEntry } from './tool-entry.ts';

/** A command a call would start. */
export interface DryCommand {
  readonly type: 'command';
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  /** Names only: values may be secrets. */
  readonly env: readonly string[];
  /** Bytes that would be fed to standard input. */
  readonly stdin: number | undefined;
}

/** A request a call would send. */
export interface DryRequest {
  readonly type: 'request';
  readonly method: string;
  readonly url: string;
  /** Names only: values may be secrets. */
  readonly headers: readonly string[];
}

/** One thing a call would do. */
export type DryStep = DryCommand | DryRequest | DryKnowledge;

/** What a call would do. */
export interface DryRun {
  readonly tool: string;
  readonly steps: readonly DryStep[];
}

/** Prepares a call up to the point where something would happen. */
export async function dryRun(
  known: { readonly tool: Tool; readonly entry: ToolEntry | undefined } | undefined,
  args: unknown,
  { name, host }: { readonly name: string; readonly host: KindHost },
): Promise<DryRun> {
  if (known === undefined) {
    throw new ToolError({ code: 'not_found', message: `There is no tool "${name}".`, toolName: name });
  }
  const validation = await known.tool.validate(args);
  if (!validation.ok) {
    const [first] = validation.issues;
    const message = `Invalid arguments for "${name}": ${first?.path.join('.')} ${first?.message}`;
    throw new ToolError({ code: 'invalid_arguments', message, toolName: name, issues: validation.issues });
  }
  // A validated input is an object.
  const input = validation.value as Record<string, unknown>;
  const { entry } = known;
  switch (entry?.type) {
    case 'cli':
      return { tool: name, steps: [toStep(prepareCli(entry, input, host))] };
    case 'run':
      return { tool: name, steps: prepareRun(entry, input, host).map(toStep) };
    case 'http':
      return {
        tool: name,
        steps: prepareHttp(entry, input).map(({ method, url, headers }) => ({
          type: 'request',
          method,
          url,
          headers: Object.keys(headers ?? {}),
        })),
      };
    case 'rag': {
      const operation = name === `${entry.metadata.name}-store` ? 'store' : 'search';
      return { tool: name, steps: [await prepareKnowledge({ operation, collection: entry.collection, host }, input)] };
    }
    default:
      return { tool: name, steps: [] };
  }
}

function toStep({ argv, cwd, env, stdin }: ReadyCommand): DryCommand {
  const bytes = stdin === undefined ? undefined : Buffer.byteLength(stdin);
  return { type: 'command', argv, cwd, env: Object.keys(env).toSorted(), stdin: bytes };
}
