import type { Node } from '@vscode/tree-sitter-wasm';

/** Nodes that declare something with a name, in all grammars. */
const DECLARATION =
  /^(?:(?:async_)?function|generator_function|method|constructor|class|abstract_class|interface|enum|struct|record|trait|module|namespace|internal_module|union|object|property|operator|destructor|type_alias|type|protocol|macro|const|static|mod|impl|singleton_method|file_scoped_namespace|delegate)(?:_(?:declaration|definition|item|specifier|signature))?$/;

/** Nodes whose members are declarations. */
const CONTAINER = /class|interface|struct|record|trait|impl|module|namespace|^mod_item$/;

/** Bodies of containers. */
const BODY =
  /^(?:class_body|declaration_list|field_declaration_list|block|body_statement|interface_body|statement_block|enum_body|class_declaration_list|compound_statement)$/;

/** Nodes around a declaration: exports, decorators, templates. */
const WRAPPER =
  /^(?:export_statement|decorated_definition|template_declaration|ambient_declaration|expression_statement)$/;

const COMMENT = /comment|attribute_item|annotation/;
const MAX_NAME = 100;

/** Returns true for a comment or attribute of the next declaration. */
export function isRemark(node: Node): boolean {
  return COMMENT.test(node.type);
}

/** Finds the declaration in a node, without its wrapper. */
export function declarationIn(node: Node): Node | undefined {
  if (DECLARATION.test(node.type) && node.type !== 'property_signature') return node;
  if (isLongVariable(node)) return node;
  if (!WRAPPER.test(node.type)) return undefined;
  for (const child of node.namedChildren) {
    const found = child === null ? undefined : declarationIn(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns true for `const x = …` over several lines, usually a function or a table. */
function isLongVariable({ type, startPosition, endPosition }: Node): boolean {
  return /^(?:lexical_declaration|variable_declaration)$/.test(type) && endPosition.row > startPosition.row + 2;
}

/** Returns the body of a class or similar container, whose members are declarations too. */
export function bodyOf(node: Node): Node | undefined {
  if (!CONTAINER.test(node.type)) return undefined;
  return (
    node.childForFieldName('body') ??
    node.namedChildren.find((child) => child !== null && BODY.test(child.type)) ??
    undefined
  );
}

/** Returns the name of a declaration. */
export function nameOf(node: Node): string | undefined {
  const name =
    node.childForFieldName('name') ??
    declaratorName(node.childForFieldName('declarator')) ??
    node.childForFieldName('type') ??
    firstNamed(node);
  const text = name?.text.replaceAll(/\s+/g, ' ').trim() ?? '';
  return text === '' || text.length > MAX_NAME ? undefined : text;
}

/** In C, the name of a function is below pointers and parameters. */
function declaratorName(node: Node | null): Node | null {
  const inner = node?.childForFieldName('declarator') ?? null;
  return inner === null ? node : declaratorName(inner);
}

/** Go's `type X struct` and JavaScript's `const x =` have the name one level below. */
function firstNamed(node: Node): Node | null {
  for (const child of node.namedChildren) {
    const name = child?.childForFieldName('name');
    if (name !== undefined && name !== null) return name;
  }
  return null;
}
