import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPlainObject } from '../tool/json.ts';
import { Redactor } from '../guard/secrets/redactor.ts';
import type { GenerateResult, ModelCallOptions } from '../agent/model/ai-types.ts';
import { messageOf } from '../tool/texts/message-of.ts';

export interface CassetteEntry {
  readonly request: unknown;
  readonly response: unknown;
}

/** The contents of a cassette: all requests to a model and its answers, in order. */
export interface Cassette {
  readonly provider: string;
  readonly modelId: string;
  readonly entries: readonly CassetteEntry[];
}

/** Texts that look like a key of any provider. */
const KEY =
  /\b(?:sk|pk|rk|xai|gsk|ghp|gho|glpat|xox[abp])[-_][A-Za-z0-9_-]{12,}|\bAIza[A-Za-z0-9_-]{30,}|\bBearer\s+[A-Za-z0-9._~+/-]{12,}=*/g;
const SECRET_NAME = /key|token|secret|pass|credential|auth/i;

/** Returns the parts of a request that determine its answer: no headers, no signal, no passwords. */
export function toRecordedRequest({
  prompt,
  tools,
  toolChoice,
  responseFormat,
  ...settings
}: ModelCallOptions): unknown {
  const { abortSignal, headers, includeRawChunks, ...rest } = settings;
  void [abortSignal, headers, includeRawChunks];
  return toPlain({ prompt, tools, toolChoice, responseFormat, ...rest });
}

/** Returns an answer without transport details. */
export function toRecordedResponse({ content, finishReason, usage, response }: GenerateResult): unknown {
  const { id, modelId } = response ?? {};
  return toPlain({ content, finishReason, usage: { ...usage, raw: undefined }, response: { id, modelId } });
}

/** Removes secrets: the given ones, those of the environment, and texts that look like a key. */
export function withoutSecrets<T>(data: T, secrets: readonly string[]): T {
  const clean = new Redactor(secrets).data(data);
  // Only texts inside strings change, so the shape stays.
  return JSON.parse(JSON.stringify(clean).replaceAll(KEY, '[secret]')) as T;
}

/** Returns the values of variables whose names suggest a secret. */
export function secretsOfEnvironment(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    SECRET_NAME.test(name) && value.length >= 8 ? [value] : [],
  );
}

/** Reads a cassette. Throws if it does not exist or is not a cassette. */
export function readCassette(file: string): Cassette {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`The cassette ${file} cannot be read: ${reason}. Record it with recordModel.`, { cause });
  }
  if (!isPlainObject(data) || !Array.isArray(data['entries']))
    throw new Error(`The file ${file} is not a cassette: it has no entries. Record it again with recordModel.`);
  // Only `writeCassette` writes files with entries.
  return data as unknown as Cassette;
}

/** Writes a cassette, and creates its folder if needed. */
export function writeCassette(file: string, cassette: Cassette): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(cassette, undefined, 2)}\n`);
}

function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
