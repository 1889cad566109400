/** Which operations: any that has one of the tags, is on one of the paths, or has one of the ids. `*` stands for anything. */
export interface OperationSelection {
  readonly tags?: readonly string[];
  readonly paths?: readonly string[];
  readonly operations?: readonly string[];
}

/** What a selection looks at. */
export interface SelectableOperation {
  readonly tags: readonly string[];
  readonly path: string;
  /** The name of the tool, and the document's own id. */
  readonly names: readonly string[];
}

/** Tells whether an operation belongs to a selection. */
export function isSelected(operation: SelectableOperation, selection: OperationSelection): boolean {
  const { tags = [], paths = [], operations = [] } = selection;
  return (
    tags.some((pattern) => operation.tags.some((tag) => matches(tag, pattern))) ||
    paths.some((pattern) => matches(operation.path, pattern)) ||
    operations.some((pattern) => operation.names.some((name) => matches(name, pattern)))
  );
}

/** Compares with a pattern piece by piece, from the left: no pattern can make it slow. */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at === -1 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}
