import { readFileSync } from 'node:fs';
import { PROVIDERS } from '../../../../agent/model/providers.ts';
import type { LoadedFile } from '../../../../load/loaded-file.ts';
import { START_FOLDER } from '../../../../load/variables/fill-file.ts';
import type { BoardVariables } from '../../../../mcp/front/board-notice.ts';
import { isAlwaysPassed } from '../../../../platform/process/child-environment.ts';
import { isPlainObject } from '../../../../tool/json.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that describe a terminal or a process, and those that servers always get: they are those of the front that started the board. */
const IGNORED: ReadonlySet<string> = new Set([
  'CI',
  'COLORTERM',
  'COLUMNS',
  'FORCE_COLOR',
  'LOGNAME',
  'NODE_DISABLE_COLORS',
  'NO_COLOR',
  'PEGBOARD_CALL',
  'PEGBOARD_RUNTIME',
  'PEGBOARD_STANDALONE',
  'SHELL',
  'TERM',
  'TMPDIR',
  'USER',
  'XDG_RUNTIME_DIR',
]);

/** Variables that agents read with their first call. */
const OF_AGENTS: readonly string[] = [
  'PEGBOARD_MODEL',
  ...Object.values(PROVIDERS).flatMap(({ keyVariable, urlVariable }) => [keyVariable ?? [], urlVariable ?? []].flat()),
];

/**
 * Variables of programs that print secrets (`secret: { command }`). Such a program gets the whole environment, and nothing says what it reads:
 * these are logins and accounts of common ones.
 */
const OF_SECRET_PROGRAMS: readonly string[] = [
  '*TOKEN*',
  '*_KEY*',
  '*SECRET*',
  '*PASSWORD*',
  '*PASSPHRASE*',
  'AWS_*',
  'AZURE_*',
  'BW_*',
  'CLOUDSDK_*',
  'DOPPLER_*',
  'GNUPGHOME',
  'GOOGLE_*',
  'INFISICAL_*',
  'KUBECONFIG',
  'OP_*',
  'SOPS_*',
  'VAULT_*',
];

/** Not compared, also where a file names them: `pegboard status` shows the first, and boards of another home folder are other boards. */
const NEVER_COMPARED: ReadonlySet<string> = new Set(['PATH', 'HOME']);
/** A variable in a file, as `${NAME}`, or as the short form for folders. */
const NAMED = /\$\{([A-Za-z_]\w*)|\$(TMPDIR|USER|LOGNAME|XDG_RUNTIME_DIR)\b/g;

/** An environment that knows which of its variables were read. */
export class RecordedEnvironment {
  readonly env: Environment;
  readonly #names = new Set<string>();

  constructor(source: Environment) {
    const note = (name: string | symbol): void => {
      if (typeof name === 'string' && !isAlwaysPassed(name) && !IGNORED.has(name)) this.#names.add(name);
    };
    // To list all variables, or to copy them, reads each: the board depends on none of them because of that.
    let listed: readonly (string | symbol)[] = [];
    let copied: string | symbol | undefined;
    this.env = new Proxy(source, {
      ownKeys: (target) => (listed = Reflect.ownKeys(target)),
      get: (target, name) => {
        if (name !== copied) note(name);
        copied = undefined;
        return Reflect.get(target, name);
      },
      has: (target, name) => (note(name), Reflect.has(target, name)),
      getOwnPropertyDescriptor: (target, name) => {
        if (listed[0] === name) {
          copied = name;
          listed = listed.slice(1);
        } else {
          listed = [];
          note(name);
        }
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
  }

  /** The names of the variables that were read, in order. */
  get names(): readonly string[] {
    return [...this.#names].toSorted();
  }
}

/** Returns the variables that a board depends on: those that were read, and those that its files pass on. */
export function variablesOf(files: readonly LoadedFile[], recorded: RecordedEnvironment): BoardVariables {
  const passed = files.flatMap(({ sections }) => [
    ...passedNames(sections),
    ...(sections['agents'] === undefined ? [] : OF_AGENTS),
  ]);
  const printsSecrets = files.some((file) => file.secretSources.some(([, source]) => source.startsWith('command ')));
  if (printsSecrets) passed.push(...OF_SECRET_PROGRAMS);
  const patterns = passed.filter((name) => /[*?]/.test(name));
  const names = passed.filter((name) => !/[*?]/.test(name) && !isAlwaysPassed(name));
  return {
    names: [...new Set([...recorded.names, ...names, ...files.flatMap(unrecordedNames)])].toSorted(),
    patterns: [...new Set(patterns)].toSorted(),
    usesFolder: files.some(usesStartFolder),
  };
}

/** Finds the lists under `env_pass` at any place. */
function passedNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(passedNames);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === 'env_pass' && Array.isArray(item) ? item.map(String) : passedNames(item),
  );
}

/** Finds the variables that a file names among those whose reading is not recorded, because all boards read them. */
function unrecordedNames({ file, isInline, contentFiles }: LoadedFile): string[] {
  if (isInline) return [];
  return [file, ...contentFiles]
    .flatMap((path) => [...readText(path).matchAll(NAMED)].map(([, braced, bare]) => braced ?? bare ?? ''))
    .filter((name) => (IGNORED.has(name) || isAlwaysPassed(name)) && !NEVER_COMPARED.has(name));
}

/** Returns true when tools of a file work in the folder that the board was started in. */
function usesStartFolder({ file, dialect, isInline, contentFiles }: LoadedFile): boolean {
  if (isInline) return false;
  // CLImax runs its commands in the folder of the caller.
  if (dialect === 'climax' || dialect === 'climax-policy') return true;
  return [file, ...contentFiles].some((path) => readText(path).includes(START_FOLDER));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
