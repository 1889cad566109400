import { existsSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BUILT_IN_KINDS } from '../../../kinds/built-in-kinds.ts';
import { formatBoardSchema } from '../../../load/board-file-schema.ts';

const SCHEMA = 'pegboard.schema.json';

export const STARTER_KINDS = ['cli', 'run', 'http'] as const;
export type StarterKind = (typeof STARTER_KINDS)[number];

const STARTERS: Readonly<Record<StarterKind, string>> = {
  cli: `  # A command line. Each value becomes one argument; there is no shell.
  - name: recent_commits
    type: cli
    description: Show the latest commits of the repository
    command: git log --oneline
    risk: read # read, write or destructive
    paths: [] # no argument is a path
    args:
      - name: max_count # becomes --max-count=…
        type: integer
        default: 10
      - name: author
        description: Only commits by this person`,
  run: `  # Several commands in sequence, with templates.
  - name: disk_report
    type: run
    description: Show the free space and the size of a folder
    risk: read
    paths: [folder]
    schema:
      properties:
        folder: { type: string, default: . }
    commands:
      - { cmd: df, args: [-h, '{{folder}}'] }
      - { cmd: du, args: [-sh, '{{folder}}'] }`,
  http: `  # A request. Each value is encoded for its place; secrets come from the environment: \${API_TOKEN}
  - name: github_repo
    type: http
    description: Show a public repository on GitHub
    risk: read
    paths: []
    schema:
      properties:
        owner: { type: string }
        repo: { type: string }
      required: [owner, repo]
    requests:
      - method: GET
        url: https://api.github.com/repos/{{owner}}/{{repo}}
        headers: { accept: application/vnd.github+json, user-agent: pegboard }`,
};

interface StarterParts {
  readonly kinds: readonly StarterKind[];
  /** The path of the schema for editors. */
  readonly schema: string;
  /** Limits paths to the folder of the file. Default: true */
  readonly hasRoots?: boolean;
}

/** Formats a first pegboard.yaml: short, commented, and valid as it is. */
export function formatStarterConfig(name: string, { kinds, schema, hasRoots = true }: StarterParts): string {
  return `# yaml-language-server: $schema=${schema}
# Check it with "pegboard validate", try a tool with "pegboard call".
name: ${JSON.stringify(name)}

tools:
${kinds.map((kind) => STARTERS[kind]).join('\n\n')}

${formatPolicy(hasRoots)}`;
}

interface PackBoardParts {
  /** The path of the schema for editors. Default: none */
  readonly schema?: string | undefined;
  readonly sections: readonly string[];
  /** Limits paths to the board's folder. Roots refuse tools that do not declare their path arguments. */
  readonly hasRoots: boolean;
}

/** Formats a first pegboard.yaml with empty sections. */
export function formatPackBoard(name: string, { schema, sections, hasRoots }: PackBoardParts): string {
  const editors = schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`;
  return `${editors}name: ${JSON.stringify(name)}

${sections.map((section) => `${section}:\n\n`).join('')}${formatPolicy(hasRoots)}`;
}

/** Formats the policy of a new board. */
function formatPolicy(hasRoots: boolean): string {
  const roots = hasRoots
    ? ['# Paths in arguments must be inside these folders.\npolicy:', '  roots: [.]']
    : ['policy:'];
  return `${roots.join('\n')}
  # Ask a person before a tool destroys something; "write" asks before every change.
  approval: { global: destructive }
`;
}

/** Returns the path of the installed package's schema, which always has the right version, or else of a copy. */
export function schemaPath(target: string): string {
  const installed = `node_modules/pegboard/${SCHEMA}`;
  return existsSync(join(target, installed)) ? `./${installed}` : `./${SCHEMA}`;
}

/** Copies the schema beside the config if it is not installed, so that editors need no network. Returns the written files. */
export function placeSchema(target: string, cwd: string): string[] {
  const copy = join(target, SCHEMA);
  if (schemaPath(target) !== `./${SCHEMA}` || existsSync(copy)) return [];
  writeFileSync(copy, formatBoardSchema(BUILT_IN_KINDS));
  return [relative(cwd, copy)];
}
