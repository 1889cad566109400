import type { Tool } from '../../tool/tool.ts';
import { lockedNames } from '../../tool/tool-names.ts';
import {
  type ApproveChanges,
  compareLock,
  instructionsName,
  type LockChange,
  mergePins,
  offersName,
  packageName,
  QUERIES_NAME,
} from '../../guard/lock/compare-pins.ts';
import { type LockPins, type LockPlace, writeLock } from '../../guard/lock/lock-file.ts';
import { toPin } from '../../guard/lock/tool-pin.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { PinnedTexts, ServerOfferList, ToolOffer } from '../../load/features/tool-list.ts';
import type { LockMode } from '../../load/loaded-file.ts';
import { type BoardLock, NO_PINS, toBoardLock } from './board-lock.ts';
import { describeChange } from './describe-change.ts';
import { isPinnedIn, pinOffers } from './pin-offers.ts';

/** The verdict of the lock on a list of tools and on texts of the board. */
export interface GateOutcome {
  readonly diagnostics: readonly Diagnostic[];
  /** Reasons for refusing tools, by tool name. */
  readonly denied: ReadonlyMap<string, string>;
  /** Servers whose instructions are withheld from clients. */
  readonly silenced: ReadonlySet<string>;
  /** True when a prompt, a resource or a template of a server may be used. */
  isPinned(server: string, kind: keyof ServerOfferList['items'], listing: object): boolean;
  /** True when the queries that a model wrote for this tool may be used. */
  isQueryPinned(tool: string): boolean;
  readonly lock: BoardLock;
}

interface GateOptions {
  readonly pins: PinnedTexts;
  /** The reaction to differences, as the files say. Default: warn. */
  readonly mode: LockMode | undefined;
  readonly place: LockPlace;
  /** The file name for diagnostics. */
  readonly shown: string;
  readonly redact: (value: unknown) => unknown;
  /** True to accept everything, so that the lock can be rewritten. */
  readonly isIgnored: boolean;
  readonly approve: ApproveChanges | undefined;
  /** Notes a lock that was written with the consent of a person. */
  readonly onWritten: (text: string) => Promise<void>;
}

/** Compares tools and texts with the lock, and finds those to refuse. */
export async function gateByLock(given: readonly ToolOffer[], options: GateOptions): Promise<GateOutcome> {
  const { place, shown, isIgnored } = options;
  const { instructions, offers, packages, queries } = options.pins;
  const modeOf = (one: { readonly lock?: LockMode | undefined } | undefined): LockMode =>
    one?.lock ?? options.mode ?? 'warn';
  const { reading } = place;
  const isOpen = [...given, ...instructions.values(), ...offers.values()].every((one) => modeOf(one) === 'warn');
  // Pinning every tool takes time, and most boards neither have nor require a lock.
  if (reading.type === 'absent' && (isIgnored || isOpen)) return acceptAll(given, options);
  const pins = pinAll(given, options);
  const { pins: locked, renamed } = underNewNames(reading.type === 'read' ? reading.pins : NO_PINS, given);
  const changes = compareLock(locked, pins);
  const lock = toBoardLock(place, { pins: () => pins, changes: () => changes, oldNames: renamed.size });
  if (isIgnored) return { ...PASS_ALL, lock };
  const modes = new Map([
    ...given.map((offer) => [offer.tool.metadata.name, modeOf(offer)] as const),
    ...[...instructions].map(([server, said]) => [instructionsName(server), modeOf(said)] as const),
    ...[...offers].map(([server, items]) => [offersName(server), modeOf(items)] as const),
    ...[...packages].map(([server, one]) => [packageName(server), modeOf(one)] as const),
    [QUERIES_NAME, modeOf(undefined)] as const,
  ]);
  const asked = changes.filter(({ name, type }) => type !== 'removed' && modes.get(name) === 'approve');
  const isApproved = asked.length > 0 && (await options.approve?.(asked)) === true;
  const merged = isApproved ? mergePins(locked, pins, asked) : locked;
  if (isApproved && reading.type !== 'broken') await options.onWritten(writeLock(place.file, merged, place.files));
  const diagnostics: Diagnostic[] = [];
  const denied = new Map<string, string>();
  if (reading.type === 'broken') {
    diagnostics.push({ severity: 'warning', file: shown, path: [], message: `${reading.message}.` });
  }
  const [old] = renamed;
  if (old !== undefined) {
    const [before, { metadata }] = old;
    const many = renamed.size === 1 ? '1 tool under an old name' : `${renamed.size} tools under old names`;
    const message = `has ${many}: ${JSON.stringify(before)} is called ${JSON.stringify(metadata.name)} now. Run ${place.command} to write the new names.`;
    diagnostics.push({ severity: 'warning', file: shown, path: [], message });
  }
  // Old locks lack no parts of tools from files and code.
  if (lock.isOld && given.some(({ origin }) => origin.startsWith('mcp ')))
    diagnostics.push({ severity: 'warning', file: shown, path: [], message: explainOldLock(place.command) });
  for (const change of changes) {
    const mode = modes.get(change.name) ?? 'warn';
    if (isApproved && asked.includes(change)) continue;
    if (reading.type === 'absent' && mode === 'warn') continue;
    const isDenied = change.type !== 'removed' && mode !== 'warn';
    const what = subjectOf(change);
    if (isDenied && what === 'It') denied.set(change.name, explainDenial(change, shown, place.command));
    // A board without a lock whose servers require one: reports one line instead of one for each tool.
    if (reading.type === 'absent' && diagnostics.length > 0) continue;
    const message =
      reading.type === 'absent'
        ? `is not there, and lock: ${mode} leaves out every tool that is not in it. Run ${place.command}.`
        : `${describeChange(change, `${place.command} --check`)}${isDenied ? `\n  ${what === undefined ? '' : `${what} is left off the board. `}If you trust it, run ${place.command}.` : ''}`;
    const severity = change.type === 'removed' ? 'note' : 'warning';
    diagnostics.push({ severity, file: shown, path: [], message });
  }
  // Parts that the lock does not contain were not checked.
  const isUnpinned = locked.instructions === undefined;
  const silenced = [...instructions].flatMap(([server, said]) =>
    denied.has(instructionsName(server)) || (isUnpinned && modeOf(said) !== 'warn') ? [server] : [],
  );
  const { redact } = options;
  const isPinned = isPinnedIn(merged.offers, { redact, modeOf: (server) => modeOf(offers.get(server)) });
  const isQueryPinned = (tool: string): boolean =>
    modes.get(QUERIES_NAME) === 'warn' || merged.queries?.get(tool) === queries.get(tool);
  return { diagnostics, denied, silenced: new Set(silenced), isPinned, isQueryPinned, lock };
}

/** Names the part of a change that a closed lock leaves out; `undefined` for a package, whose start decides. */
function subjectOf({ name }: LockChange): 'It' | 'What differs' | undefined {
  if (name.startsWith(packageName(''))) return undefined;
  return name.startsWith(offersName('')) || name === QUERIES_NAME ? 'What differs' : 'It';
}

const PASS_ALL: Omit<GateOutcome, 'lock'> = {
  diagnostics: [],
  denied: new Map(),
  silenced: new Set(),
  isPinned: () => true,
  isQueryPinned: () => true,
};

/** Accepts everything, and pins nothing until the lock is used. */
function acceptAll(given: readonly ToolOffer[], options: GateOptions): GateOutcome {
  let pins: LockPins | undefined;
  const pinned = (): LockPins => (pins ??= pinAll(given, options));
  const lock = toBoardLock(options.place, { pins: pinned, changes: () => compareLock(NO_PINS, pinned()) });
  return { ...PASS_ALL, lock };
}

function pinAll(given: readonly ToolOffer[], { redact, pins }: GateOptions): LockPins {
  const texts = [...pins.instructions].map(([server, { text }]) => [server, String(redact(text))] as const);
  return {
    tools: new Map(given.map(({ tool, origin }) => [tool.metadata.name, toPin(tool, origin, redact)])),
    plugins: pins.plugins(),
    instructions: new Map(texts),
    offers: pinOffers(pins.offers, redact),
    packages: new Map([...pins.packages].map(([server, { pin }]) => [server, pin])),
    queries: pins.queries,
  };
}

function explainOldLock(command: string): string {
  return `was written before hints, icons, _meta, instructions or packages of servers were pinned: changes of these are not reported. Look at the tools and run ${command}.`;
}

/**
 * Returns a lock with the current names of tools of servers, and the renamed ones.
 *
 * Another tool cannot get a pin this way: the pin must be of the same tool of the same server.
 */
function underNewNames(
  locked: LockPins,
  given: readonly ToolOffer[],
): { readonly pins: LockPins; readonly renamed: ReadonlyMap<string, Tool> } {
  const tools = new Map(locked.tools);
  const renamed = new Map<string, Tool>();
  for (const { tool, origin } of given) {
    const { name } = tool.metadata;
    const old = lockedNames(tool).find((one) => tools.get(one)?.origin === origin);
    const pin = old === undefined ? undefined : tools.get(old);
    if (old === undefined || pin === undefined || tools.has(name)) continue;
    tools.delete(old);
    tools.set(name, pin);
    renamed.set(old, tool);
  }
  return { pins: { ...locked, tools }, renamed };
}

function explainDenial({ name, type }: LockChange, shown: string, command: string): string {
  const what = { added: 'is not in', changed: 'changed since', renamed: 'was renamed since', removed: 'is gone from' }[
    type
  ];
  return `The tool "${name}" ${what} ${shown}, and its lock is not open. Review it and run ${command}.`;
}
