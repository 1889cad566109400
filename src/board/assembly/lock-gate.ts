import type { Tool } from '../../tool/tool.ts';
import { lockedNames } from '../../tool/tool-names.ts';
import {
  compareLock,
  instructionsName,
  isOldLock,
  type LockChange,
  mergePins,
  offersName,
  QUERIES_NAME,
} from '../../guard/lock/compare-pins.ts';
import { inspectDefinition, inspectText, type TextFinding } from '../../guard/lock/inspect-description.ts';
import {
  type LockPins,
  type LockReading,
  type OfferPins,
  type PluginPins,
  type QueryPins,
  type ToolPins,
  writeLock,
} from '../../guard/lock/lock-file.ts';
import type { LockPlace } from '../../guard/lock/lock-place.ts';
import { toPin } from '../../guard/lock/tool-pin.ts';
import { type ServerOfferList, isPinnedIn, pinOffers } from './pin-offers.ts';
import type { Diagnostic } from '../../load/diagnostics/diagnostic.ts';
import type { LockMode } from '../../load/loaded-file.ts';

/** A tool on its way to the board, with where it comes from. */
export interface OriginTool {
  readonly tool: Tool;
  /** Such as `mcp files/read_file`. */
  readonly origin: string;
  /** What is done when it is not what the lock says. */
  readonly mode: LockMode | undefined;
}

/** What a server says about itself as a whole. */
export interface ServerInstructions {
  readonly text: string;
  /** As clients get it. */
  readonly shown: string;
  /** What is done when it is not what the lock says. */
  readonly mode: LockMode | undefined;
}

/** Asks a person whether changed tools may be used. */
export type ApproveChanges = (changes: readonly LockChange[]) => boolean | Promise<boolean>;

/** What a board's lock says about its tools. */
export interface BoardLock {
  /** The path of the lock, whether it is there or not: `pegboard.lock` for pegboard.yaml. */
  readonly file: string;
  /** What a person runs to write it. */
  readonly command: string;
  readonly state: LockReading['type'];
  /** Whether it is from before hints, `_meta`, icons and instructions were pinned. */
  readonly isOld: boolean;
  /** How the board differs from the lock; everything is new where there is none. */
  readonly changes: readonly LockChange[];
  /** The number of tools that the lock has under another name of theirs. */
  readonly oldNames: number;
  /** Texts that hide something, or that speak to the model, by tool. */
  readonly findings: ReadonlyMap<string, readonly TextFinding[]>;
  /** Writes the lock anew, for the tools as they are now. */
  write(): void;
}

/** The tools that pass, and what to tell about the others. */
export interface GateOutcome {
  readonly tools: readonly Tool[];
  readonly diagnostics: readonly Diagnostic[];
  /** Names of tools that are left off, and why. */
  readonly denied: ReadonlyMap<string, string>;
  /** Servers whose instructions clients are not told. */
  readonly silenced: ReadonlySet<string>;
  /** Whether the lock lets a prompt, a resource or a template of a server pass. */
  isPinned(server: string, kind: keyof ServerOfferList['items'], listing: object): boolean;
  /** Whether the lock lets the queries pass that a model wrote for this tool. */
  isQueryPinned(tool: string): boolean;
  readonly lock: BoardLock;
}

interface GateOptions {
  /** What the servers say about themselves, by name. */
  readonly instructions: ReadonlyMap<string, ServerInstructions>;
  /** The prompts and resources of the servers, by name. */
  readonly offers: ReadonlyMap<string, ServerOfferList>;
  /** The plugins that the files name. */
  readonly plugins: () => PluginPins;
  /** The queries that models wrote, and what is done when they are not what the lock says. */
  readonly queries: { readonly pins: QueryPins; readonly mode: LockMode | undefined };
  readonly place: LockPlace;
  /** How diagnostics name the file. */
  readonly shown: string;
  readonly redact: (value: unknown) => unknown;
  /** Lets everything through, to write the lock anew. */
  readonly isIgnored: boolean;
  readonly approve: ApproveChanges | undefined;
}

/** Compares tools with the lock, and lets through what may pass. */
export async function gateByLock(given: readonly OriginTool[], options: GateOptions): Promise<GateOutcome> {
  const { place, shown, isIgnored, instructions, offers, queries } = options;
  const { reading } = place;
  const isOpen = [...given, ...instructions.values(), ...offers.values()].every(
    ({ mode }) => mode === undefined || mode === 'warn',
  );
  // Pinning every tool takes time; most boards have no lock, and ask for none.
  if (reading.type === 'absent' && (isIgnored || isOpen)) return open(given, options);
  const pins = pinAll(given, options);
  const { pins: locked, renamed } = underNewNames(reading.type === 'read' ? reading.pins : NO_PINS, given);
  const changes = compareLock(locked, pins);
  const lock = describeLock(place, { pins: () => pins, changes: () => changes, oldNames: renamed.size });
  if (isIgnored) return { ...passAll(given), lock };
  const modes = new Map([
    ...given.map(({ tool, mode }) => [tool.metadata.name, mode ?? 'warn'] as const),
    ...[...instructions].map(([server, { mode }]) => [instructionsName(server), mode ?? 'warn'] as const),
    ...[...offers].map(([server, { mode }]) => [offersName(server), mode ?? 'warn'] as const),
    [QUERIES_NAME, queries.mode ?? 'warn'] as const,
  ]);
  const asked = changes.filter(({ name, type }) => type !== 'removed' && modes.get(name) === 'approve');
  const isApproved = asked.length > 0 && (await options.approve?.(asked)) === true;
  const merged = isApproved ? mergePins(locked, pins, asked) : locked;
  if (isApproved && reading.type !== 'broken') writeLock(place.file, merged, place.files);
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
  // Tools of files and code had nothing that an old lock left out.
  if (lock.isOld && given.some(({ origin }) => origin.startsWith('mcp ')))
    diagnostics.push({ severity: 'warning', file: shown, path: [], message: explainOldLock(place.command) });
  for (const change of changes) {
    const mode = modes.get(change.name) ?? 'warn';
    if (isApproved && asked.includes(change)) continue;
    if (reading.type === 'absent' && mode === 'warn') continue;
    const isDenied = change.type !== 'removed' && mode !== 'warn';
    const isOffers = change.name.startsWith(offersName('')) || change.name === QUERIES_NAME;
    if (isDenied && !isOffers) denied.set(change.name, explainDenial(change, shown, place.command));
    // A board without a lock whose servers want one: one line says it all, not one for each tool.
    if (reading.type === 'absent' && diagnostics.length > 0) continue;
    const message =
      reading.type === 'absent'
        ? `is not there, and lock: ${mode} leaves out every tool that is not in it. Run ${place.command}.`
        : `${describeChange(change, `${place.command} --check`)}${isDenied ? `\n  ${isOffers ? 'What differs' : 'It'} is left off the board. If you trust it, run ${place.command}.` : ''}`;
    const severity = change.type === 'removed' ? 'note' : 'warning';
    diagnostics.push({ severity, file: shown, path: [], message });
  }
  const tools = given.map(({ tool }) => tool).filter(({ metadata }) => !denied.has(metadata.name));
  // What the lock does not speak of was not looked at.
  const isUnpinned = (mode: LockMode | undefined): boolean =>
    locked.instructions === undefined && mode !== undefined && mode !== 'warn';
  const silenced = [...instructions].flatMap(([server, { mode }]) =>
    denied.has(instructionsName(server)) || isUnpinned(mode) ? [server] : [],
  );
  const { redact } = options;
  const isPinned = isPinnedIn(merged.offers, { redact, modeOf: (server) => offers.get(server)?.mode });
  const isQueryPinned = (tool: string): boolean =>
    modes.get(QUERIES_NAME) === 'warn' || merged.queries?.get(tool) === queries.pins.get(tool);
  return { tools, diagnostics, denied, silenced: new Set(silenced), isPinned, isQueryPinned, lock };
}

function passAll(given: readonly OriginTool[]): Omit<GateOutcome, 'lock'> {
  const tools = given.map(({ tool }) => tool);
  return {
    tools,
    diagnostics: [],
    denied: new Map(),
    silenced: new Set(),
    isPinned: () => true,
    isQueryPinned: () => true,
  };
}

function explainOldLock(command: string): string {
  return `was written before hints, icons, _meta and instructions of servers were pinned: changes of these are not told. Look at the tools and run ${command}.`;
}

/**
 * A lock under the names that tools of servers have now, and which those are.
 *
 * Another tool cannot get a pin this way: the pin must be of the same tool of the same server.
 */
function underNewNames(
  locked: LockPins,
  given: readonly OriginTool[],
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

const MAX_LINES = 20;
const MAX_LINE = 300;

/** A change for people: all of it, or a few lines where `seeAll` names the command that shows the rest. */
export function describeChange({ type, name, previous, origin, lines }: LockChange, seeAll?: string): string {
  const what = {
    added: `${JSON.stringify(name)} (${origin}) is new`,
    removed: `${JSON.stringify(name)} (${origin}) is gone`,
    changed: `${JSON.stringify(name)} (${origin}) changed`,
    renamed: `${JSON.stringify(previous)} (${origin}) is called ${JSON.stringify(name)} now`,
  }[type];
  const all = type === 'renamed' ? [] : lines;
  const shown = seeAll === undefined ? all : toBrief(all, seeAll);
  return [`${what}${shown.length === 0 ? '.' : ':'}`, ...shown.map((line) => `  ${line}`)].join('\n');
}

function toBrief(lines: readonly string[], seeAll: string): string[] {
  const brief = lines
    .slice(0, MAX_LINES)
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  const isWhole = lines.length <= MAX_LINES && lines.every((line) => line.length <= MAX_LINE);
  return isWhole ? brief : [...brief, `Not all of it is shown here. See it with: ${seeAll}`];
}

function explainDenial({ name, type }: LockChange, shown: string, command: string): string {
  const what = { added: 'is not in', changed: 'changed since', renamed: 'was renamed since', removed: 'is gone from' }[
    type
  ];
  return `The tool "${name}" ${what} ${shown}, and its lock is not open. Someone has to look at it and run ${command}.`;
}

function open(given: readonly OriginTool[], options: GateOptions): GateOutcome {
  let pins: LockPins | undefined;
  const pinned = (): LockPins => (pins ??= pinAll(given, options));
  const lock = describeLock(options.place, {
    pins: pinned,
    changes: () => compareLock(NO_PINS, pinned()),
    oldNames: 0,
  });
  return { ...passAll(given), lock };
}

function describeLock(
  { file, files, command, reading }: LockPlace,
  {
    pins,
    changes,
    oldNames,
  }: {
    readonly pins: () => LockPins;
    readonly changes: () => readonly LockChange[];
    readonly oldNames: number;
  },
): BoardLock {
  return {
    file,
    command,
    state: reading.type,
    oldNames,
    get isOld() {
      return reading.type === 'read' && isOldLock(reading.pins, pins());
    },
    get changes() {
      return changes();
    },
    get findings() {
      const { tools, instructions = new Map<string, string>(), offers = new Map() as OfferPins } = pins();
      const found = [
        ...[...offers].map(([name, items]) => [offersName(name), inspectDefinition(items)] as const),
        ...[...instructions].map(
          ([name, text]) => [instructionsName(name), inspectText('instructions', text)] as const,
        ),
        ...[...tools].map(([name, { definition }]) => [name, inspectDefinition(definition)] as const),
      ];
      return new Map(found.filter(([, findings]) => findings.length > 0));
    },
    write: () => writeLock(file, pins(), files),
  };
}

const NO_PINS: LockPins = { tools: new Map(), plugins: new Map(), instructions: new Map(), offers: new Map() };

function pinAll(
  given: readonly OriginTool[],
  { redact, plugins, instructions, offers, queries }: Omit<GateOptions, 'place' | 'shown' | 'isIgnored' | 'approve'>,
): LockPins {
  const tools: ToolPins = new Map(given.map(({ tool, origin }) => [tool.metadata.name, toPin(tool, origin, redact)]));
  const texts = [...instructions].map(([server, { text }]) => [server, String(redact(text))] as const);
  return {
    tools,
    plugins: plugins(),
    instructions: new Map(texts),
    offers: pinOffers(offers, redact),
    queries: queries.pins,
  };
}
