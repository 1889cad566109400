import type { PackagePin } from '../../../guard/lock/lock-file.ts';
import { accepts, type PackageSpec } from './package-command.ts';

/** The part of a board's lock that the start of a server keeps to. */
export interface PackageRule {
  readonly pin: PackagePin | undefined;
  /** True when no other version than the pinned one may start (`lock: deny`). */
  readonly isStrict: boolean;
  /** True when the lock cannot be used. */
  readonly isBroken: boolean;
  /** The lock in messages, and the command that writes it. */
  readonly file: string;
  readonly command: string;
}

/** Returns the pin that a start has to keep to; `undefined` if the entry asks for another version than the lock has. */
export function pinFor(spec: PackageSpec, rule: PackageRule | undefined): PackagePin | undefined {
  const pin = rule?.pin;
  return pin !== undefined && pin.name === spec.name && accepts(spec, pin.version) ? pin : undefined;
}

/** Returns the reason why a lock does not let a package start, whatever is installed. */
export function refusalOf(spec: PackageSpec, rule: PackageRule | undefined): string | undefined {
  if (rule === undefined || !rule.isStrict) return undefined;
  const { pin, isBroken, file, command } = rule;
  if (isBroken) return `${file} cannot be used, and lock: deny starts no package without it. Run ${command}`;
  if (pin === undefined || pinFor(spec, rule) !== undefined) return undefined;
  return `${file} pins ${pin.name}@${pin.version}, and the entry asks for ${spec.text}. Write the pinned version, or look at the new one and run ${command}`;
}
