// Holds the walls that ARCHITECTURE.md draws: who may import whom, no cycles, nothing foreign in tool/.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** The floors of the house as the page draws them, from the bottom up: each room, or part of one, with its floor. */
const FLOORS: ReadonlyMap<string, number> = new Map(
  (/bottom up:\n\n```\n(.*?)```/s.exec(page)?.[1] ?? '')
    .trim()
    .split('\n')
    .flatMap((line, floor) => line.split(/\s+/).map((room) => [room, floor] as const)),
);

/** Adapters that must not know each other. */
const SIBLINGS = ['openai', 'anthropic', 'gemini', 'mcp', 'langchain', 'ai-sdk'];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
  /** True for `import()`. */
  readonly isLate: boolean;
}

/** The imports of every source file, static and dynamic. */
function readImports(): Import[] {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test(-d|-helper)?\.ts$/.test(file));
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const statements = source.matchAll(
      /^(?:import|export)\s+(type\s+)?[^;]*?\bfrom\s+'([^']+)';|(?<!typeof )\bimport\(\s*'([^']+)'\s*\)(?!\.[A-Z])/gms,
    );
    return [...statements].map(([, type, target, later]) => {
      const to = target ?? later ?? '';
      const isOwn = to.startsWith('.');
      return {
        from: file,
        to: isOwn ? relative(root, join(root, dirname(file), to)) : `npm:${to}`,
        isType: type !== undefined,
        isLate: later !== undefined,
      };
    });
  });
}

/** The folder of the commands of a feature. */
function commandsOf(file: string): string | undefined {
  return /^src\/features\/[a-z-]+\/commands\//.exec(file)?.[0];
}

/** The list of a feature's commands, each loaded when it runs. */
function isCommandOfFeature({ from, to, isLate }: Import): boolean {
  return isLate && from.endsWith('/feature.ts') && commandsOf(to)?.startsWith(`${dirname(from)}/`) === true;
}

/** The room of a file, or the part of it that has a floor of its own; the entries are above all rooms. */
function roomOf(file: string): string | undefined {
  const [, room = '', part = '', ...rest] = file.split('/');
  if (part === '') return undefined;
  if (commandsOf(file) !== undefined) return 'features/*/commands';
  return rest.length > 0 && FLOORS.has(`${room}/${part}`) ? `${room}/${part}` : room;
}

/** The config schemas as they are written: never loaded by the library itself. */
const isAuthored = (file: string): boolean =>
  /^src\/(?:kinds\/(?:[a-z]+\/schema|common-schema)|load\/schema\/[a-z-]+)\.ts$/.test(file);

const imports = readImports();

describe('architecture', () => {
  it('is the house that ARCHITECTURE.md describes: every room listed and on a floor', () => {
    expect(imports.length).toBeGreaterThan(1_000);
    const rooms = globSync('src/*/', { cwd: root }).map((folder) => folder.split('/')[1] ?? '');
    const listed = [...page.matchAll(/^  ([a-z-]+)\/ /gm)].map(([, folder = '']) => folder);
    expect(listed.toSorted()).toEqual(rooms.toSorted());
    expect(new Set([...FLOORS.keys()].map((room) => room.split('/')[0]))).toEqual(new Set(rooms));
  });

  it('is described by files that are there', () => {
    const files = globSync(['*', '{src,test,bench,scripts,wasm,examples}/**/*'], {
      cwd: root,
      exclude: (path) => path.includes('node_modules'),
    }).map((file) => `/${file}`);
    const pages = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...globSync('docs/adr/*.md', { cwd: root })];
    const gone = pages.flatMap((name) =>
      [...readFileSync(join(root, name), 'utf8').matchAll(/`([\w./-]+\.(?:ts|bin)|[\w-]+\/[\w./-]*)`/g)]
        .map(([, path = '']) => path.replace(/\/$/, ''))
        .filter((path) => !/^(?:docs|pegboard|dist|node_modules|notifications)\b/.test(path) && !path.includes('*'))
        .filter((path) => !files.some((file) => file.endsWith(`/${path}`)))
        .map((path) => `${name}: ${path}`),
    );
    expect(gone).toEqual([]);
  });

  it('imports only from the floors below, and lets a feature load only its own commands', () => {
    const floorOf = (room: string): number => FLOORS.get(room) ?? Number.NaN;
    const wrong = imports.filter((one) => {
      const { from, to } = one;
      const here = roomOf(from);
      if (to.startsWith('npm:') || here === undefined) return false;
      const there = roomOf(to);
      if (here === there) return commandsOf(from) !== commandsOf(to);
      if (isCommandOfFeature(one)) return false;
      // A file beside the rooms is an entry: nothing below imports it.
      return there === undefined || !(floorOf(there) < floorOf(here));
    });
    expect(wrong).toEqual([]);
  });

  it('lets only the command line use the importers, which write configs for it', () => {
    const wrong = imports.filter(
      ({ from, to }) => to.startsWith('src/import/') && !/^src\/(?:import|cli)\//.test(from),
    );
    expect(wrong).toEqual([]);
  });

  it('names features in one file of board/, which maps the public names of a board to them', () => {
    const named = imports.filter(
      ({ from, to }) =>
        from.startsWith('src/board/') && /^src\/features\/[^/]+\//.test(to) && from !== 'src/board/board.ts',
    );
    expect(named).toEqual([]);
  });

  it('keeps adapters apart', () => {
    const adapter = (file: string): string | undefined =>
      SIBLINGS.find((name) => new RegExp(`^src/export/${name}\\.ts$`).test(file));
    const wrong = imports.filter(({ from, to }) => {
      const [here, there] = [adapter(from), adapter(to)];
      return here !== undefined && there !== undefined && here !== there;
    });
    expect(wrong).toEqual([]);
  });

  it('keeps tool/ free of third-party code', () => {
    const isFree = (file: string): boolean => file.startsWith('src/tool/') && !file.startsWith('src/tool/schema/');
    const isNode = (to: string): boolean => to.startsWith('npm:node:');
    expect(
      imports.filter(({ from, to, isType }) => isFree(from) && to.startsWith('npm:') && !isType && !isNode(to)),
    ).toEqual([]);
  });

  it('loads optional libraries only through loadPeer', () => {
    const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const isPeer = (to: string): boolean =>
      Object.keys(peerDependencies).some((peer) => to === `npm:${peer}` || to.startsWith(`npm:${peer}/`));
    expect(imports.filter(({ from, to, isType }) => !isType && isPeer(to) && !isAuthored(from))).toEqual([]);
  });

  it('uses the zod schemas of config files only to generate what the loader reads', () => {
    const wrong = imports.filter(({ from, to, isType }) => isAuthored(to) && !isType && !isAuthored(from));
    expect(wrong).toEqual([]);
  });

  it('keeps the inspector’s page apart: it runs in a browser, and shares the types of the API and how texts and schemas are read', () => {
    const isPage = (file: string): boolean => file.startsWith('src/inspector/page/');
    const allowed = (to: string): boolean =>
      isPage(to) ||
      to === 'src/inspector/api-types.ts' ||
      to === 'src/tool/texts/reveal-hidden.ts' ||
      to.startsWith('src/tool/parameters/') ||
      /^npm:react(?:-dom)?(?:\/|$)/.test(to);
    expect(imports.filter(({ from, to }) => isPage(from) && !allowed(to))).toEqual([]);
    expect(imports.filter(({ from, to }) => isPage(to) && !isPage(from))).toEqual([]);
  });

  it('has no cycles', () => {
    const graph = Map.groupBy(
      imports.filter((one) => !one.to.startsWith('npm:') && !isCommandOfFeature(one)),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) throw new Error(`Cycle: ${[...trail.slice(trail.indexOf(file)), file].join(' → ')}`);
      if (done.has(file)) return;
      for (const { to } of graph.get(file) ?? []) visit(to, [...trail, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
  });

  it('keeps every source file under 400 lines', () => {
    const long = globSync('src/**/*.{ts,tsx}', { cwd: root })
      .filter((file) => !file.includes('.test'))
      .filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 400);
    expect(long).toEqual([]);
  });

  it('has files that import at most twenty others, entry points excepted', () => {
    const isEntry = (file: string): boolean => file.split('/').length === 2;
    const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test(-d|-helper)?\.ts$/.test(file));
    const crowded = files.filter((file) => {
      const statements = readFileSync(join(root, file), 'utf8').match(/^import\b(?!\()/gm) ?? [];
      return !isEntry(file) && statements.length > 20;
    });
    expect(crowded).toEqual([]);
  });
});
