import type { AnyNode, CallExpression, Expression, Identifier, MemberExpression, Node, Pattern, Program } from 'acorn';

export interface ToolUse {
  readonly name: string;
  readonly node: Node;
  /** The call, if the tool is called directly. */
  readonly call: CallExpression | undefined;
}

/** The tools and names that a program uses, as far as its code shows. */
export interface ProgramSurvey {
  readonly tools: readonly ToolUse[];
  /** Fields of `input` that it names. */
  readonly inputs: readonly string[];
  /** Names that the program uses and does not declare, each once. */
  readonly free: readonly Identifier[];
  /** Import and export statements. */
  readonly modules: readonly Node[];
}

/** Keys of nodes under which an identifier is a label or field name rather than a value. */
const NAMES_ONLY: Readonly<Record<string, readonly string[]>> = {
  MemberExpression: ['property'],
  Property: ['key'],
  MethodDefinition: ['key'],
  PropertyDefinition: ['key'],
  LabeledStatement: ['label'],
  BreakStatement: ['label'],
  ContinueStatement: ['label'],
  MetaProperty: ['meta', 'property'],
};

/** Collects the tools and names that a program uses. A name declared anywhere counts as declared everywhere. */
export function surveyProgram(ast: Program): ProgramSurvey {
  const declared = new Set<string>();
  const used: Identifier[] = [];
  const members: {
    readonly node: MemberExpression;
    readonly parent: AnyNode | undefined;
    readonly above: AnyNode | undefined;
  }[] = [];
  const unpacked: { readonly node: Pattern; readonly name: string }[] = [];
  const modules: Node[] = [];
  const inputs: (string | undefined)[] = [];
  walk(ast, (node, parent, above) => {
    switch (node.type) {
      case 'VariableDeclarator':
        declare(node.id, declared);
        if (node.init?.type === 'Identifier' && node.init.name === 'tools') unpacked.push(...namesOf(node.id));
        if (node.init?.type === 'Identifier' && node.init.name === 'input')
          inputs.push(...namesOf(node.id).map(({ name }) => name));
        break;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        if (node.id) declared.add(node.id.name);
        for (const parameter of node.params) declare(parameter, declared);
        break;
      case 'ClassDeclaration':
      case 'ClassExpression':
        if (node.id) declared.add(node.id.name);
        break;
      case 'CatchClause':
        if (node.param) declare(node.param, declared);
        break;
      case 'ImportDeclaration':
        for (const { local } of node.specifiers) declared.add(local.name);
        modules.push(node);
        break;
      case 'ImportExpression':
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
      case 'ExportAllDeclaration':
        modules.push(node);
        break;
      case 'MemberExpression':
        members.push({ node, parent, above });
        if (node.object.type === 'Identifier' && node.object.name === 'input') inputs.push(nameIn(node));
        break;
      case 'Identifier':
        used.push(node);
    }
  });
  const isOwn = declared.has('tools');
  const seen = new Set<string>();
  return {
    tools: isOwn
      ? []
      : [...members.flatMap(toUse), ...unpacked.map(({ node, name }) => ({ node, name, call: undefined }))],
    inputs: declared.has('input') ? [] : [...new Set(inputs)].filter((name) => name !== undefined),
    free: used.filter(({ name }) => !declared.has(name) && !seen.has(name) && seen.add(name)),
    modules,
  };
}

function toUse({
  node,
  parent,
  above,
}: {
  readonly node: MemberExpression;
  readonly parent: AnyNode | undefined;
  readonly above: AnyNode | undefined;
}): ToolUse[] {
  if (node.object.type !== 'Identifier' || node.object.name !== 'tools') return [];
  const name = nameIn(node);
  if (name === undefined) return [];
  const isTry = parent?.type === 'MemberExpression' && parent.object === node && nameIn(parent) === 'try';
  const callee = isTry ? parent : node;
  const call = isTry ? above : parent;
  return [{ name, node, call: call?.type === 'CallExpression' && call.callee === callee ? call : undefined }];
}

/** Returns the property name of a member: `a.b`, `a['b']`. */
function nameIn({ property, computed }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  if (property.type === 'TemplateLiteral' && property.expressions.length === 0)
    return property.quasis[0]?.value.cooked ?? undefined;
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined;
}

/** Returns the names that a pattern takes from an object: `const { a, b: c } = tools`. */
function namesOf(pattern: Pattern): { readonly node: Pattern; readonly name: string }[] {
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property): { readonly node: Pattern; readonly name: string }[] => {
    if (property.type !== 'Property' || property.computed) return [];
    const { key } = property;
    if (key.type === 'Identifier') return [{ node: key, name: key.name }];
    return key.type === 'Literal' && typeof key.value === 'string' ? [{ node: pattern, name: key.value }] : [];
  });
}

function declare(pattern: Pattern | Expression, declared: Set<string>): void {
  switch (pattern.type) {
    case 'Identifier':
      declared.add(pattern.name);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties)
        declare(property.type === 'Property' ? property.value : property.argument, declared);
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) if (element !== null) declare(element, declared);
      break;
    case 'AssignmentPattern':
      declare(pattern.left, declared);
      break;
    case 'RestElement':
      declare(pattern.argument, declared);
  }
}

type Visit = (node: AnyNode, parent: AnyNode | undefined, above: AnyNode | undefined) => void;

/** Visits every node that may be a value, with its parent and grandparent. Iterative, because code may be deeply nested. */
function walk(root: AnyNode, visit: Visit): void {
  const open: { readonly node: AnyNode; readonly parent: AnyNode | undefined; readonly above: AnyNode | undefined }[] =
    [{ node: root, parent: undefined, above: undefined }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, parent } = next;
    visit(node, parent, next.above);
    const isComputed = 'computed' in node && node.computed;
    const skipped = isComputed ? [] : (NAMES_ONLY[node.type] ?? []);
    const children = Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
      // `{ a }` is both a field name and a value.
      const isShorthand = node.type === 'Property' && node.shorthand;
      if (skipped.includes(key) && !(isShorthand && key === 'key')) return [];
      return (Array.isArray(value) ? value : [value]).filter(isNode);
    });
    for (const child of children.toReversed()) open.push({ node: child, parent: node, above: parent });
  }
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
  );
}
