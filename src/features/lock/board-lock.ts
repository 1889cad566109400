import { instructionsName, isOldLock, type LockChange, offersName } from '../../guard/lock/compare-pins.ts';
import { inspectDefinition, inspectText, type TextFinding } from '../../guard/lock/inspect-description.ts';
import {
  type LockPins,
  type LockPlace,
  type LockReading,
  type OfferPins,
  writeLock,
} from '../../guard/lock/lock-file.ts';

/** The lock of a board, compared with its tools. */
export interface BoardLock {
  /** The path of the lock, even if it does not exist: `pegboard.lock` for pegboard.yaml. */
  readonly file: string;
  /** The command that writes it. */
  readonly command: string;
  readonly state: LockReading['type'];
  /** True when it is older than pinned hints, `_meta`, icons and instructions. */
  readonly isOld: boolean;
  /** Differences between the board and the lock; everything is new if there is no lock. */
  readonly changes: readonly LockChange[];
  /** The number of tools that the lock contains under an earlier name. */
  readonly oldNames: number;
  /** Texts that hide something or address the model, by tool. */
  readonly findings: ReadonlyMap<string, readonly TextFinding[]>;
  /** Writes the lock for the current tools. Returns its text. */
  write(): string;
}

/** The pins of a board, created on first use, and their differences from the lock. */
interface LockParts {
  readonly pins: () => LockPins;
  readonly changes: () => readonly LockChange[];
  /** Default: 0. */
  readonly oldNames?: number;
}

/** Converts a lock to its public form. */
export function toBoardLock(
  { file, files, command, reading }: LockPlace,
  { pins, changes, oldNames = 0 }: LockParts,
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

/** A lock without pins. */
export const NO_PINS: LockPins = {
  tools: new Map(),
  plugins: new Map(),
  instructions: new Map(),
  offers: new Map(),
  packages: new Map(),
};
