import { isPlainObject } from '../../tool/json.ts';
import { createReferenceReader, type DocumentNode } from './reference-reader.ts';

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const STYLES: Readonly<Record<string, { readonly style: string; readonly explode: boolean }>> = {
  csv: { style: 'form', explode: false },
  multi: { style: 'form', explode: true },
  ssv: { style: 'spaceDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
  // Has no equivalent in OpenAPI 3.
  tsv: { style: 'tabDelimited', explode: false },
};
/** Keys of a parameter that are not part of its schema. */
const NOT_SCHEMA = new Set(['name', 'in', 'required', 'description', 'collectionFormat', 'allowEmptyValue']);

/**
 * Converts the requests of a Swagger 2.0 document to OpenAPI 3.0.
 *
 * References into `definitions` stay: the reader resolves them there.
 */
export function upgradeSwagger(document: DocumentNode): DocumentNode {
  const reader = createReferenceReader(document);
  const { paths, securityDefinitions, host, basePath, schemes, ...rest } = document;
  const upgradeOperation = (operation: DocumentNode, shared: readonly unknown[]): DocumentNode => {
    const { parameters, consumes = document['consumes'], schemes: own, ...others } = operation;
    const all = new Map<string, DocumentNode>();
    for (const node of [...shared, ...listOf(parameters)]) {
      const parameter = reader.follow(node);
      if (parameter !== undefined) all.set(`${String(parameter['in'])}:${String(parameter['name'])}`, parameter);
    }
    const given = [...all.values()];
    const types = listOf(consumes).filter((type) => typeof type === 'string');
    const body = given.find((parameter) => parameter['in'] === 'body');
    const fields = given.filter((parameter) => parameter['in'] === 'formData');
    const requestBody = body === undefined ? toForm(fields, types) : toBody(body, types);
    return {
      ...others,
      parameters: given.filter(({ in: place }) => place !== 'body' && place !== 'formData').map(toParameter),
      ...(requestBody === undefined ? {} : { requestBody }),
      ...(Array.isArray(own) ? { servers: toServers(host, basePath, own) } : {}),
    };
  };
  const upgradePath = (item: unknown): unknown => {
    const { parameters, ...operations } = reader.follow(item) ?? {};
    const upgraded = Object.entries(operations).map(([key, value]) => {
      return [key, isPlainObject(value) ? upgradeOperation(value, listOf(parameters)) : value] as const;
    });
    return Object.fromEntries(upgraded);
  };
  return {
    ...rest,
    openapi: '3.0.3',
    servers: toServers(host, basePath, listOf(schemes)),
    components: { securitySchemes: mapValues(securityDefinitions, toSecurityScheme) },
    paths: mapValues(paths, upgradePath),
  };
}

function toServers(host: unknown, basePath: unknown, schemes: readonly unknown[]): DocumentNode[] {
  const path = typeof basePath === 'string' ? basePath : '/';
  if (typeof host !== 'string' || host === '') return [{ url: path }];
  const scheme = schemes.includes('https') || schemes.length === 0 ? 'https' : 'http';
  return [{ url: `${scheme}://${host}${path.startsWith('/') ? '' : '/'}${path}` }];
}

function toSchema(parameter: DocumentNode): DocumentNode {
  const schema = Object.fromEntries(Object.entries(parameter).filter(([key]) => !NOT_SCHEMA.has(key)));
  return schema['type'] === 'file' ? { ...schema, type: 'string', format: 'binary' } : schema;
}

function styleOf({ collectionFormat, type, in: place }: DocumentNode): DocumentNode {
  if (type !== 'array') return {};
  // Lists in a path or a header are always joined with commas.
  if (place === 'path' || place === 'header') return {};
  return STYLES[typeof collectionFormat === 'string' ? collectionFormat : 'csv'] ?? {};
}

function toParameter(parameter: DocumentNode): DocumentNode {
  const { name, in: place, required, description } = parameter;
  const { 'x-example': example } = parameter;
  const sample = example === undefined ? {} : { example };
  return { name, in: place, required, description, schema: toSchema(parameter), ...styleOf(parameter), ...sample };
}

function toBody(parameter: DocumentNode, types: readonly string[]): DocumentNode {
  const { required, description, schema } = parameter;
  const sent = types.filter((type) => type !== FORM && type !== MULTIPART);
  const content = Object.fromEntries(
    (sent.length === 0 ? ['application/json'] : sent).map((type) => [type, { schema }]),
  );
  return { required, description, content };
}

function toForm(fields: readonly DocumentNode[], types: readonly string[]): DocumentNode | undefined {
  if (fields.length === 0) return undefined;
  const hasFile = fields.some(({ type }) => type === 'file');
  const isMultipart = hasFile || (types.includes(MULTIPART) && !types.includes(FORM));
  const named = fields.map((field) => [String(field['name']), field] as const);
  const properties = named.map(([name, field]) => {
    const { description } = field;
    return [name, { ...toSchema(field), ...(description === undefined ? {} : { description }) }] as const;
  });
  const required = named.filter(([, field]) => field['required'] === true).map(([name]) => name);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required };
  const encoding = Object.fromEntries(named.map(([name, field]) => [name, styleOf(field)]));
  return {
    required: required.length > 0,
    content: { [isMultipart ? MULTIPART : FORM]: { schema, encoding } },
  };
}

function toSecurityScheme(scheme: unknown): unknown {
  if (!isPlainObject(scheme)) return scheme;
  const { type, flow, tokenUrl } = scheme;
  if (type === 'basic') return { ...scheme, type: 'http', scheme: 'basic' };
  const name = flow === 'application' ? 'clientCredentials' : String(flow);
  return type === 'oauth2' ? { ...scheme, flows: { [name]: { tokenUrl } } } : scheme;
}

function mapValues(node: unknown, change: (value: unknown) => unknown): DocumentNode {
  if (!isPlainObject(node)) return {};
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
