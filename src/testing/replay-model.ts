import { ModelMisuseError } from '../agent/model/model-misuse-error.ts';
import { readCassette, secretsOfEnvironment, toRecordedRequest, withoutSecrets } from './cassette.ts';
import { diffJson } from './diff-json.ts';
import type { GenerateResult, ModelCallOptions, ModelV4 } from '../agent/model/ai-types.ts';
import { toStreamParts } from './to-stream-parts.ts';

/** What to replay. */
export interface ReplayOptions {
  readonly cassette: string;
  /** The values that were kept out of the cassette, as given to `recordModel`. */
  readonly secrets?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A model that answers from a cassette. */
export type ReplayModel = ModelV4 & {
  /** Throws when the cassette has answers that were not asked for. */
  assertDone(): void;
};

/** A model that answers as it was recorded, streamed or not. A request that is not the recorded one fails with the difference. */
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
        `Request ${next} is not the one in ${file} (- recorded, + now):\n${difference}\nRecord it again if the change is meant.`,
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
