import { isPlainObject } from '../../tool/json.ts';
import { innerPath, type ReportChange, ROOT_PATH } from './rewrite-context.ts';
import { mapSubschemas, type SchemaNode, without } from '../../tool/parameters/schema-node.ts';
import { isValidKeyword } from './valid-keyword.ts';

/** A copy without keywords whose values are no JSON Schema; providers reject the whole request for one of them. */
export function cleanKeywords(node: SchemaNode, report: ReportChange, path: string = ROOT_PATH): SchemaNode {
  const invalid = Object.keys(node).filter((keyword) => !isValidKeyword(keyword, node[keyword]));
  for (const keyword of invalid) {
    const message = `The value of "${keyword}" is not one JSON Schema allows. Correct it in the tool's schema.`;
    report({ path, rule: keyword, action: 'dropped', message });
  }
  return mapSubschemas(without(node, ...invalid), (inner, keyword, key) => {
    if (!isPlainObject(inner)) return inner;
    return cleanKeywords(inner, report, innerPath(path, keyword, key));
  });
}
