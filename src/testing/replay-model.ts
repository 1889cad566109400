import type { GenerateResult, ModelCallOptions, ModelV4 } from '../agent/model/ai-types.ts';
import { ModelMisuseError } from '../agent/model/explain-model-failure.ts';
import { readCassette, secretsOfEnvironment, toRecordedRequest, withoutSecrets } from './record-model.ts';
import { toStreamParts } from './scripted-model.ts';
import { isPlainObject } from '../tool/json.ts';
import { formatPath } from '../tool/texts/explain-issues.ts';

/** The cassette to replay. */
export interface ReplayOptions {
  /** The file with the recorded answers. */
  readonly cassette: string;
  /** The secrets removed from the cassette, as given to `recordModel`. */
  readonly secrets?: readonly string[];
  /** Variables whose secrets are removed from messages. Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A model that answers from a cassette. */
export type ReplayModel = ModelV4 & {
  /** Throws if the cassette has unused answers. */
  assertDone(): void;
};

/**
 * Creates a model that returns the recorded answers, streamed or not. A request that differs from the recorded one fails with the difference.
 */
export function replayModel(options: ReplayOptions): ReplayModel {
  const { cassette: file } = options;
  const { provider, modelId, entries } = readCassette(file);
  const secrets = [...(options.secrets ?? []), ...secretsOfEnvironment(options.env ?? process.env)];
  let next = 0;
  const answer = (request: ModelCallOptions): GenerateResult => {
    const entry = entries[next++];
    if (entry === undefined) {
      throw new ModelMisuseError(
        `The cassette ${file} has ${entries.length} answers, and the model was asked once more. Record it again.`,
      );
    }
    const asked = withoutSecrets(toRecordedRequest(request), secrets);
    const difference = diffJson(entry.request, asked);
    if (difference !== '') {
      throw new ModelMisuseError(
        `Request ${next} is not the one in ${file} (- recorded, + now):\n${difference}\nRecord it again if the change is intended.`,
      );
    }
    // `recordModel` wrote it from such a result.
    return { ...(entry.response as GenerateResult), warnings: [] };
  };
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls: {},
    doGenerate: (request) => Promise.resolve().then(() => answer(request)),
    doStream: async (request) => ({ stream: ReadableStream.from(toStreamParts(answer(request))) }),
    assertDone() {
      if (next < entries.length)
        throw new ModelMisuseError(`The cassette ${file} has ${entries.length} answers, and ${next} were asked for.`);
    },
  };
}

const MAX_LINES = 20;
const MAX_VALUE = 300;

/** Lists the differences between two JSON values, a line for each removed, added or changed value. */
function diffJson(before: unknown, after: unknown): string {
  const lines = [...differences(before, after, [])];
  const more = lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} more lines`] : [];
  return [...lines.slice(0, MAX_LINES), ...more].join('\n');
}

function* differences(before: unknown, after: unknown, path: readonly (string | number)[]): Generator<string> {
  if (Array.isArray(before) && Array.isArray(after)) {
    const [old, now]: [unknown[], unknown[]] = [before, after];
    for (let index = 0; index < Math.max(old.length, now.length); index++) {
      yield* differences(old[index], now[index], [...path, index]);
    }
    return;
  }
  if (isPlainObject(before) && isPlainObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* differences(before[key], after[key], [...path, key]);
    }
    return;
  }
  if (Object.is(before, after)) return;
  const where = formatPath(path);
  if (before !== undefined) yield `- ${where}: ${show(before)}`;
  if (after !== undefined) yield `+ ${where}: ${show(after)}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
