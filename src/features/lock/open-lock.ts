import { relative } from 'node:path';
import { findLock, type LockPlace, type PackagePins } from '../../guard/lock/lock-file.ts';
import type { PackageRule } from '../../mcp/client/packages/package-rule.ts';
import type { FeatureHost } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { ToolList } from '../../load/features/tool-list.ts';
import type { LockMode } from '../../load/loaded-file.ts';
import { gateByLock, type GateOutcome } from './lock-gate.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import type { BoardLock } from './board-lock.ts';

/** The lock of a board, for other features. */
export interface LockApi {
  /** Returns the verdict on a list of tools, once the gate has judged it. */
  of(list: ToolList): GateOutcome;
  /** Returns the packages of servers in the lock for a list of tools, also before the list passes the gate. */
  packagesOf(list: ToolList): PackagePins | undefined;
  /** Returns the part of the lock that the start of a server keeps to; `own` is the mode of its entry. */
  packageRule(list: ToolList, server: string, own: LockMode | undefined): PackageRule | undefined;
  /** @internal The verdicts and calls that later settings take over: running calls are judged by the current list of the board. */
  readonly shared: SharedLock;
}

interface SharedLock {
  readonly outcomes: WeakMap<ToolList, GateOutcome>;
  readonly judged: WeakMap<object, boolean>;
}

/** Opens the lock of a board: each list of tools is compared with the current file. */
export function openLock(
  mode: LockMode | undefined,
  host: Pick<FeatureHost, 'cwd' | 'options' | 'redact' | 'board' | 'consent'>,
  before: LockApi | undefined,
): OpenFeature<LockApi> {
  const { cwd, options } = host;
  const shared: SharedLock = before?.shared ?? { outcomes: new WeakMap(), judged: new WeakMap() };
  const { outcomes, judged } = shared;
  const places = new WeakMap<ToolList, LockPlace>();
  const placeOf = (list: ToolList): LockPlace => {
    const place = places.get(list) ?? findLock({ folder: list.home, given: list.given, cwd, read: list.readLock });
    places.set(list, place);
    return place;
  };
  const packagesOf = (list: ToolList): PackagePins | undefined => {
    const { reading } = placeOf(list);
    return reading.type === 'read' ? reading.pins.packages : undefined;
  };
  const of = (list: ToolList): GateOutcome => {
    const outcome = outcomes.get(list);
    if (outcome === undefined) throw new Error('The list of tools has not passed the lock yet.');
    return outcome;
  };
  return {
    api: {
      of,
      packagesOf,
      packageRule(list, server, own) {
        const { reading, source, command } = placeOf(list);
        if (reading.type === 'absent' || options.lock === 'ignore') return undefined;
        return {
          pin: packagesOf(list)?.get(server),
          isStrict: (own ?? mode) === 'deny',
          isBroken: reading.type === 'broken',
          file: relative(cwd, source),
          command,
        };
      },
      shared,
    },
    ...guardUnchanged({
      judged,
      find: (name) => host.board().registry.get(name),
      lock: () => of(host.board().list).lock,
    }),
    // Only calls that resume after a person's answer are compared, and only other guards ask people.
    isGuarded: () => false,
    async gate(offers, list) {
      const place = placeOf(list);
      const outcome = await gateByLock(offers, {
        pins: list.pins,
        mode,
        place,
        shown: relative(cwd, place.source),
        redact: (value) => host.redact(value),
        isIgnored: options.lock !== undefined,
        approve: options.approveChanges,
        onWritten: (text) => host.consent('lock', text),
      });
      outcomes.set(list, outcome);
      list.report(...outcome.diagnostics);
      return outcome.denied;
    },
    ownFiles: (list) => {
      const { file, source } = placeOf(list);
      return [file, source];
    },
  };
}

interface CheckOptions {
  /** For each judged call: true when its tool was on the board at first. */
  readonly judged: WeakMap<object, boolean>;
  /** Returns the board's current tool with a name. */
  readonly find: (name: string) => Tool | undefined;
  readonly lock: () => Pick<BoardLock, 'changes'>;
}

/** Guards calls that resume after an answer: their tool must be unchanged, and the lock must not refuse it. */
function guardUnchanged({ judged, find, lock }: CheckOptions): Required<Pick<OpenFeature, 'judging' | 'guard'>> {
  return {
    judging: ({ tool, answers }) => {
      if (!judged.has(answers)) judged.set(answers, find(tool.metadata.name) === tool);
    },
    guard: ({ tool, answers }) => {
      const { name } = tool.metadata;
      const now = find(name);
      if (now === tool || judged.get(answers) !== true || answers.size === 0) return undefined;
      // A call of a tool that the files no longer contain continues like all running calls.
      const isHeldBack = lock().changes.some((change) => change.name === name && change.type !== 'removed');
      if (now === undefined && !isHeldBack) return undefined;
      const message = `The tool "${name}" was changed while this call waited for an answer, so it did not run. Look at the tool again before you call it again.`;
      return new ToolError({ code: 'permission_denied', message, toolName: name, reason: 'changed while it waited' });
    },
  };
}
