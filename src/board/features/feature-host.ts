import type { BoardHost, StandingBoard } from '../../load/features/feature-host.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { knowledgeDrivers, type Plugin } from '../../load/plugins/define-plugin.ts';
import { boardName, homeFolder, type StorePlace, workingFolder } from '../../load/data-folder.ts';
import { clientOf } from '../../tool/calls/call-owner.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { BoardSetup } from '../board-setup.ts';
import { noteConsent } from '../changes/board-changes.ts';
import type { FeatureBoard } from './board-features.ts';

/** The parts of a reading that features see. */
interface ReadingParts {
  readonly place: StorePlace;
  readonly files: readonly LoadedFile[];
  readonly plugins: readonly Plugin[];
}

/** Creates the view of a board for the features of one reading. */
export function createFeatureBoard(setup: BoardSetup, { place, files, plugins }: ReadingParts): FeatureBoard {
  const { resources, mode, cwd, env, ask, options } = setup;
  const { closed, outputs, clients, secretLists } = resources;
  const hasFiles = files.some(({ isInline }) => !isInline);
  const places = { data: place.folder, workingFolder: workingFolder(files, setup), boardName: boardName(files, cwd) };
  const hostFor: FeatureBoard['hostFor'] = (feature) => ({
    ...places,
    mode,
    cwd,
    env,
    closed,
    ask,
    outputs,
    clients,
    secretLists,
    files,
    options,
    feature,
    drivers: knowledgeDrivers(plugins),
    folder: homeFolder(files, cwd),
    isKept: resources.hasOwnPlace(place, hasFiles),
    // Opened on first use.
    get store() {
      return resources.hasOwnPlace(place, hasFiles) ? resources.store(place) : resources.temporaryStore;
    },
    storeKey: () => resources.storeKey(place),
    sealedStore: () => resources.sealedStore(place),
    board: () => resources.board(),
    get offers() {
      return resources.board().offers;
    },
    call: (...wanted) => callWithinRights(resources.board(), ...wanted),
    changed: () => resources.changed(),
    consent: (type, written) => noteConsent(setup, type, written),
    emit: (...event) => resources.emit(...event),
    userOf: (context) => clientOf(context).user,
    redact: (value) => secretLists.redactor.data(value),
  });
  return { key: [places, place.url], hostFor };
}

/**
 * Calls a tool for a feature if the caller may use the tool itself: the right to read a URI does not include the right to call the tool
 * behind it.
 */
async function callWithinRights(
  { registry }: StandingBoard,
  ...[name, args, options]: Parameters<BoardHost['call']>
): ReturnType<BoardHost['call']> {
  const { mayUse } = clientOf(ToolContext.from(options.context));
  if (mayUse === undefined) return registry.call(name, args, options);
  if (registry.find(name) === undefined) await registry.absent?.arrival(name, 'wait');
  const tool = registry.find(name);
  if (tool !== undefined && mayUse(tool)) return registry.executor.execute(tool, args, options);
  const message = 'Your rights do not include the tool that gives it.';
  return registry.executor.refuse(new ToolError({ code: 'permission_denied', message }), options);
}
