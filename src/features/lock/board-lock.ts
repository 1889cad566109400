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
  /** The path of the lock, whether it is there or not: `pegboard.lock` for pegboard.yaml. */
  readonly file: string;
  /** The command that writes it. */
  readonly command: string;
  readonly state: LockReading['type'];
  /** True when it is from before hints, `_meta`, icons and instructions were pinned. */
  readonly isOld: boolean;
  /** Differences between the board and the lock; everything is new where there is none. */
  readonly changes: readonly LockChange[];
  /** The number of tools that the lock has under another name of theirs. */
  readonly oldNames: number;
  /** Texts that hide something, or that speak to the model, by tool. */
  readonly findings: ReadonlyMap<string, readonly TextFinding[]>;
  /** Writes the lock for the tools as they are now. */
  write(): void;
}

/** The pins of a board, made when first used, and their differences from the lock. */
interface LockParts {
  readonly pins: () => LockPins;
  readonly changes: () => readonly LockChange[];
  /** Default: 0. */
  readonly oldNames?: number;
}

/** Shows a lock as boards have it. */
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

/** A lock without a pin. */
export const NO_PINS: LockPins = {
  tools: new Map(),
  plugins: new Map(),
  instructions: new Map(),
  offers: new Map(),
  packages: new Map(),
};
