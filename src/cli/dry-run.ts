import { redactData } from '../execute/redact.ts';
import type { DryCommand, DryRequest, DryRun } from '../kinds/dry-run.ts';

/** The same without values that must never be shown. */
export function redactDryRun(plan: DryRun, secrets: readonly string[]): DryRun {
  // Texts change, shapes do not.
  return redactData(plan, secrets) as DryRun;
}

/** What a call would do, exactly: one argv element on a line, as JSON, so that every character shows. */
export function formatDryRun({ tool, steps }: DryRun): string {
  const many = steps.length > 1;
  return steps
    .map((step, index) => {
      const title = many ? `${tool}, step ${index + 1} of ${steps.length}` : tool;
      const fields = step.type === 'command' ? commandFields(step) : requestFields(step);
      return [title, ...fields].join('\n');
    })
    .join('\n\n');
}

function commandFields({ argv, cwd, env, stdin }: DryCommand): string[] {
  return [
    'argv:',
    ...argv.map((element) => `  ${JSON.stringify(element)}`),
    `cwd: ${cwd ?? '.'}`,
    `env: ${env.join(' ')}`,
    ...(stdin === undefined ? [] : [`stdin: ${stdin} bytes`]),
  ];
}

function requestFields({ method, url, headers }: DryRequest): string[] {
  return [`request: ${method} ${url}`, `headers: ${headers.join(' ')}`];
}
