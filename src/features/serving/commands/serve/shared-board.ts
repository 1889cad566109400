import { dirname } from 'node:path';
import { messageOf } from '../../../../tool/texts/message-of.ts';
import type { CliContext } from '../../../../cli/shared/cli-context.ts';
import type { BoardIdentity } from '../../../../mcp/front/boards-folder.ts';
import { RecordedEnvironment } from './board-variables.ts';
import { reportStart } from './report-start.ts';
import type { Serving } from './serving.ts';
import { SharedFronts } from './shared-fronts.ts';
import type { SharedPlace } from './shared-place.ts';

interface RunOptions extends Omit<BoardIdentity, 'home'> {
  /** Serves over stdio although the files say HTTP. */
  readonly stdio: boolean;
}

/** The side of a board that the fronts of this machine share. */
export class SharedBoard {
  readonly #context: CliContext;
  readonly #recorded: RecordedEnvironment;
  readonly #fronts = new SharedFronts();

  constructor(context: CliContext) {
    this.#context = context;
    this.#recorded = new RecordedEnvironment(context.env);
  }

  /** The environment for the board, which records the variables that it depends on. */
  get env(): CliContext['env'] {
    return this.#recorded.env;
  }

  /** Prints a line for the people of all fronts. */
  log(text: string): void {
    this.#fronts.log(text);
  }

  /** Serves fronts, unless the files ask for a board of each process. */
  async run(serving: Serving, { stdio, ...board }: RunOptions): Promise<void> {
    const { http, standalone } = serving.section();
    if ((http === true && !stdio) || standalone === true) return reportStart({ type: 'standalone' });
    const { createSharedPlace } = await import('./shared-place.ts');
    const { runShared } = await import('./run-shared.ts');
    const { env, cwd } = this.#context;
    const identity = { ...board, home: env['HOME'] ?? '' };
    let place: SharedPlace;
    try {
      place = createSharedPlace({ identity, board: serving.board, recorded: this.#recorded, env, cwd });
    } catch (error) {
      return reportStart({ type: 'standalone', reason: messageOf(error) });
    }
    if (!place.describe().variables.usesFolder) leaveFolder(identity);
    await runShared(serving, { context: this.#context, fronts: this.#fronts, place, files: identity.files });
  }
}

/** Works in the folder of the board, so that code finds the same files whichever front started it. */
function leaveFolder({ files }: Pick<BoardIdentity, 'files'>): void {
  try {
    process.chdir(dirname(files.at(-1) ?? ''));
  } catch {
    // The folder is gone; so will the board be, with its next reload.
  }
}
