import type { Redactor } from '../../../guard/secrets/redactor.ts';
import type { DryAction, DryCommand, DryKnowledge, DryRequest, DryRun, DryStep } from '../../../kinds/kind.ts';

/** Removes secrets from a dry run. */
export function redactDryRun(plan: DryRun, redactor: Redactor): DryRun {
  // Redaction changes only texts, so the shape stays.
  return redactor.data(plan);
}

/** Formats what a call would do: each argv element as JSON on its own line, so that every character shows. */
export function formatDryRun(plan: DryRun): string {
  const { verdict } = plan;
  const said = verdict?.type === 'refused' ? 'would be refused' : 'would ask';
  return [formatSteps(plan), ...(verdict === undefined ? [] : [`${said}: ${verdict.message}`])].join('\n');
}

function formatSteps({ tool, steps }: DryRun): string {
  if (steps.length === 0) return `${tool}\nnothing to show: only its own code or server knows what a call does`;
  const many = steps.length > 1;
  return steps
    .map((step, index) => {
      const title = many ? `${tool}, step ${index + 1} of ${steps.length}` : tool;
      return [title, ...fieldsOf(step)].join('\n');
    })
    .join('\n\n');
}

function fieldsOf(step: DryStep): string[] {
  switch (step.type) {
    case 'command':
      return commandFields(step);
    case 'request':
      return requestFields(step);
    case 'knowledge':
      return knowledgeFields(step);
    case 'action':
      return actionFields(step);
  }
}

function commandFields({ argv, cwd, env, stdin, files = [] }: DryCommand): string[] {
  return [
    'argv:',
    ...argv.map((element) => `  ${JSON.stringify(element)}`),
    `cwd: ${cwd ?? '.'}`,
    `env: ${env.join(' ')}`,
    ...(stdin === undefined ? [] : [`stdin: ${stdin} bytes`]),
    ...files.map(({ name, bytes }) => `file: ${name}, ${bytes} bytes`),
  ];
}

function requestFields({ method, url, headers, auth }: DryRequest): string[] {
  const shown = [`request: ${method} ${url}`, `headers: ${headers.join(' ')}`];
  return auth === undefined ? shown : [...shown, `auth: ${auth}`];
}

function knowledgeFields({ operation, collection, server, driver, place, embedder, input }: DryKnowledge): string[] {
  return [
    `${operation}: ${collection} on ${server} (${driver}, ${place})`,
    `by: ${embedder === undefined ? 'words' : `words and vectors of ${embedder}`}`,
    ...detailFields(input),
  ];
}

function actionFields({ title, details = {} }: DryAction): string[] {
  return [title, ...detailFields(details)];
}

function detailFields(details: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(details).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}
