// Reads the published .d.ts files: what each entry exports, with which words, and which types its signatures mention.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'rolldown/utils';

/** A node of a syntax tree, as far as it is looked at here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** A declaration at the top of a file. */
export interface Declaration {
  readonly file: string;
  readonly name: string;
  readonly node: Node;
  readonly isDocumented: boolean;
}

interface Module {
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** Names that other files of the package give: where from, and what they are called there. */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  readonly exports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  /** Offsets at which documented declarations of the file begin. */
  readonly documented: ReadonlySet<number>;
}

const modules = new Map<string, Module>();

/** The declarations behind the names that an entry exports. */
export function exportsOf(file: string): Map<string, Declaration> {
  const { exports } = readModule(file);
  const found = new Map<string, Declaration>();
  for (const [name, source] of exports) {
    const declaration = resolve(source.file, source.name);
    if (declaration !== undefined) found.set(name, declaration);
  }
  return found;
}

/** The declarations of this package that a declaration's types mention. */
export function mentionsOf({ file, node }: Declaration): Declaration[] {
  const names = new Set<string>();
  const own = new Set<string>();
  walk(node, (part) => {
    if (part.type === 'TSTypeParameter') own.add(nameOf(part['name']));
    if (part.type === 'TSInferType') own.add(nameOf((part['typeParameter'] as Node)['name']));
    if (part.type === 'TSTypeReference') names.add(leftmost(part['typeName']));
    if (part.type === 'TSTypeQuery') names.add(leftmost(part['exprName']));
    if (part.type === 'TSInterfaceHeritage' || part.type === 'TSClassImplements')
      names.add(leftmost(part['expression']));
    if (part.type === 'ClassDeclaration' && part['superClass']) names.add(leftmost(part['superClass']));
  });
  return [...names].filter((name) => !own.has(name)).flatMap((name) => resolve(file, name) ?? []);
}

/** The members of an interface or a class that have no words of their own. */
export function undocumentedMembers({ file, node }: Declaration): string[] {
  const { documented } = readModule(file);
  const body = (node['body'] as Node | undefined)?.['body'];
  if (!Array.isArray(body)) return [];
  const seen = new Set<string>();
  return body.flatMap((member: Node) => {
    const key = member['key'] as Node | undefined;
    if (key === undefined || key.type === 'PrivateIdentifier' || member['accessibility'] === 'private') return [];
    const name = nameOf(key);
    // Overloads share the words of the first.
    const isTold = documented.has(member.start) || seen.has(name) || name === 'constructor';
    seen.add(name);
    return isTold ? [] : [name];
  });
}

function resolve(file: string, name: string): Declaration | undefined {
  const { declarations, imports, exports } = readModule(file);
  const own = declarations.get(name);
  if (own !== undefined) return own;
  const source = imports.get(name) ?? exports.get(name);
  return source === undefined || (source.file === file && source.name === name)
    ? undefined
    : resolve(source.file, source.name);
}

function readModule(file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, text, { lang: 'dts' });
  const documented = new Set(
    comments.flatMap(({ type, value, end }) =>
      type === 'Block' && value.startsWith('*') ? [end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0)] : [],
    ),
  );
  const module = { declarations: new Map(), imports: new Map(), exports: new Map(), documented };
  modules.set(file, module);
  const at = (source: unknown): string =>
    join(dirname(file), String((source as Node)['value'])).replace(/\.js$/, '.d.ts');
  // The parser's own types name each kind of node; here only a few fields are looked at.
  for (const statement of program.body as unknown as Node[]) {
    const source = statement['source'] as Node | null | undefined;
    const isInside = source !== null && source !== undefined && String(source['value']).startsWith('.');
    for (const specifier of (statement['specifiers'] ?? []) as Node[]) {
      const local = nameOf(specifier['local']);
      if (statement.type === 'ImportDeclaration' && isInside) {
        const imported = specifier['imported'] === undefined ? local : nameOf(specifier['imported']);
        module.imports.set(local, { file: at(source), name: imported });
      }
      if (statement.type === 'ExportNamedDeclaration' && (isInside || !source)) {
        module.exports.set(nameOf(specifier['exported']), { file: isInside ? at(source) : file, name: local });
      }
    }
    const declared = (statement['declaration'] ?? statement) as Node;
    for (const node of declared.type === 'VariableDeclaration' ? (declared['declarations'] as Node[]) : [declared]) {
      if (!node['id']) continue;
      const name = nameOf(node['id']);
      const isDocumented = documented.has(statement.start) || module.declarations.get(name)?.isDocumented === true;
      module.declarations.set(name, { file, name, node, isDocumented });
      if (statement.type === 'ExportNamedDeclaration') module.exports.set(name, { file, name });
    }
  }
  return module;
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  else if (typeof value === 'object' && value !== null) {
    if ('type' in value && typeof value.type === 'string') visit(value as Node);
    for (const item of Object.values(value)) walk(item, visit);
  }
}

function leftmost(node: unknown): string {
  const { type, left, object } = node as Node;
  if (type === 'TSQualifiedName') return leftmost(left);
  return type === 'MemberExpression' ? leftmost(object) : nameOf(node);
}

function nameOf(node: unknown): string {
  const { name, value } = node as Node;
  return String(name ?? value);
}
