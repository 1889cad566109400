import type { CompiledBody } from './compile-body.ts';
import type { CompileContext } from './compile-context.ts';
import { compileJsonBody } from './compile-json-body.ts';
import { parseTemplate } from './template.ts';

/** A GraphQL request as a config file describes it. */
export interface GraphqlDefinition {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operation?: string | undefined;
}

/** Compiles a GraphQL request. The query is sent unchanged: a placeholder in it could change its meaning. */
export function compileGraphql(
  { query, variables, operation }: GraphqlDefinition,
  names: readonly string[],
  context: CompileContext,
): CompiledBody {
  const [placeholder] = parseTemplate(query).placeholders;
  if (placeholder !== undefined) {
    const { name } = placeholder;
    const message = `must not have a placeholder: a value could change the query. Write $${name} instead, and variables: { ${name}: '{{${name}}}' }.`;
    context.report(['graphql', 'query'], message);
  }
  const declared = new Set([...query.matchAll(/\$(\w+)\s*:/g)].map(([, name = '']) => name));
  const given =
    variables ?? Object.fromEntries(names.filter((name) => declared.has(name)).map((name) => [name, `{{${name}}}`]));
  const render = compileJsonBody(given, ['graphql', 'variables'], context);
  const fixed = JSON.stringify({ query, ...(operation === undefined ? {} : { operationName: operation }) });
  return {
    contentType: 'application/json',
    render: (args) => `${fixed.slice(0, -1)},"variables":${render(args) ?? '{}'}}`,
  };
}
