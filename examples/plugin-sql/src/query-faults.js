/** Texts, names in quotes and comments; else a parameter, the end of a statement, or a word. */
const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|(?<positional>\?\d*)|[:@$](?<parameter>[A-Za-z_]\w*)|(?<end>;)|(?<word>[A-Za-z_]\w*)/g;

/** They open files that no one sees in the entry. */
const OTHER_FILES = new Set(['ATTACH', 'DETACH', 'VACUUM']);

/**
 * Lists the faults of a query, without opening its database.
 *
 * @param {string} query
 * @param {readonly string[]} params The parameters that the entry describes.
 * @returns {import('pegboard').EntryFault[]}
 */
export function findQueryFaults(query, params) {
  /** @type {import('pegboard').EntryFault[]} */
  const faults = [];
  const used = new Set();
  let isOver = false;
  for (const [, positional, parameter, end, word] of query.matchAll(TOKENS)) {
    if (parameter !== undefined) used.add(parameter);
    if (positional !== undefined) faults.push(at('has a parameter without a name. Write :name in place of ?.'));
    if (isOver && (parameter ?? word) !== undefined) {
      faults.push(at('has more than one statement. Write an entry for each.'));
      break;
    }
    if (end !== undefined) isOver = true;
    if (word !== undefined && OTHER_FILES.has(word.toUpperCase())) {
      faults.push(at(`has ${word.toUpperCase()}, which opens other files. Write an entry for each database.`));
    }
  }
  for (const name of used) {
    if (!params.includes(name)) faults.push(at(`has a parameter :${name} that params does not describe.`));
  }
  for (const name of params) {
    if (!used.has(name)) faults.push({ path: ['params', name], message: `is not used in the query. Write :${name}.` });
  }
  return faults;
}

/**
 * @param {string} message
 * @returns {import('pegboard').EntryFault}
 */
function at(message) {
  return { path: ['query'], message };
}
