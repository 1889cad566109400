/** Compiles a name with `*` for any text, including none. All other characters are literal. */
export function compileGlob(glob: string): (text: string) => boolean {
  const [head = '', ...rest] = glob.split('*');
  const tail = rest.pop();
  if (tail === undefined) return (text) => text === glob;
  return (text) => {
    if (!text.startsWith(head) || !text.endsWith(tail) || text.length < head.length + tail.length) return false;
    const end = text.length - tail.length;
    let from = head.length;
    for (const part of rest) {
      const at = text.indexOf(part, from);
      if (at < 0 || at + part.length > end) return false;
      from = at + part.length;
    }
    return true;
  };
}
