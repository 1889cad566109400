import { isPlainObject } from '../core/json.ts';
import type { ToolContext } from '../core/tool-context.ts';
import { createLearner, type Learner } from '../discovery/learn/create-learner.ts';
import { LEARNED_SPACE } from '../discovery/learn/learned-queries.ts';
import type { IndexSource } from '../discovery/index-source.ts';
import { ToolIndex } from '../discovery/tool-index.ts';
import { createEmbedder } from '../embedders/create-embedder.ts';
import { cleanMessage, redactKnown } from '../execute/redact.ts';
import type { ToolExecutor } from '../execute/tool-executor.ts';
import type { BoardStore } from '../store/board-store.ts';
import type { LoadedFile } from './loaded-file.ts';

/** What a board lends to what finds its tools. */
interface DiscoveryBoard {
  readonly source: IndexSource;
  readonly files: readonly LoadedFile[];
  readonly data: string;
  readonly executor: ToolExecutor;
  readonly store: () => BoardStore;
  readonly secrets: () => readonly string[];
}

/** A board's index with the embedder and the learner its files ask for. */
export interface BoardDiscovery {
  /** Made when first asked for. */
  readonly index: ToolIndex;
  close(): Promise<void>;
}

/** Keys under which callers say who they are, in the context of their calls. */
const SESSION_KEYS = ['sessionId', 'session', 'clientId', 'client'];

/** Opens what finds the tools of a board. Nothing is loaded, sent or read before the index is asked for. */
export function openDiscovery(board: DiscoveryBoard): BoardDiscovery {
  const config = board.files.findLast(({ discovery }) => discovery['embedder'] !== undefined)?.discovery['embedder'];
  const wantsLearning = board.files.findLast(({ discovery }) => discovery['learn'] !== undefined)?.discovery['learn'];
  const embedder = isPlainObject(config) ? createEmbedder(config, { data: board.data }) : undefined;
  let opened: { readonly index: ToolIndex; readonly learner: Learner | undefined } | undefined;
  const open = (): NonNullable<typeof opened> => {
    if (opened === undefined) {
      const index = ToolIndex.from(board.source, { embedder });
      opened = { index, learner: wantsLearning === true ? startLearning(index, board) : undefined };
    }
    return opened;
  };
  const stopListening =
    wantsLearning === true
      ? board.executor.hooks.after(({ tool, args, context, result }) => {
          const call = {
            tool: tool.metadata.name,
            args,
            ok: result.ok,
            data: result.data,
            session: sessionOf(context),
          };
          open().learner?.notice(call);
        })
      : undefined;
  return {
    get index() {
      return open().index;
    },
    close: async () => {
      stopListening?.();
      opened?.index.close();
      await embedder?.close();
    },
  };
}

/** Learning is a help: a store that cannot be written must not fail a search or a call. */
function startLearning(index: ToolIndex, { store, secrets }: DiscoveryBoard): Learner | undefined {
  const redact = (text: string): string => cleanMessage(redactKnown(text, secrets()));
  try {
    const learner = createLearner({ store: store().space(LEARNED_SPACE), index, redact });
    return {
      notice: (call) => {
        try {
          learner.notice(call);
        } catch {
          // The disk is full, or another process holds the file: the next call may be remembered.
        }
      },
    };
  } catch {
    return undefined;
  }
}

function sessionOf(context: ToolContext): string {
  for (const key of SESSION_KEYS) {
    const value = context.getMeta(key);
    if (typeof value === 'string') return value;
  }
  return '';
}
