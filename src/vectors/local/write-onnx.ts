/** A float, or an integer, as an attribute of a node. */
type Attribute = number | { readonly float: number };

/** One operation with the names of its inputs and its output. */
export interface OnnxNode {
  readonly type: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes?: Readonly<Record<string, Attribute>>;
  /** Default: the standard operations. */
  readonly domain?: string;
}

/** Constant numbers of the model. */
export interface OnnxTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array | Uint8Array;
}

/** An input or output of a model; a name in its shape stands for any length. */
interface OnnxValue {
  readonly name: string;
  readonly type: 'float32' | 'int32';
  readonly shape: readonly (number | string)[];
}

/** A model: operations in the order they run. */
export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly tensors: readonly OnnxTensor[];
  readonly inputs: readonly OnnxValue[];
  readonly output: OnnxValue;
  /** The versions of the operation sets, by domain. */
  readonly operations: Readonly<Record<string, number>>;
}

const FORMAT = 8;
const TYPES = { float32: 1, uint8: 2, int32: 6 } as const;
const FLOAT_ATTRIBUTE = 1;
const INTEGER_ATTRIBUTE = 2;

/** Writes a model in ONNX format, a Protocol Buffers message. Field numbers are those of onnx.proto. */
export function writeOnnx({ nodes, tensors, inputs, output, operations }: OnnxGraph): Uint8Array {
  const graph = [
    ...nodes.map((node) => message(1, toNode(node))),
    text(2, 'graph'),
    ...tensors.map((tensor) => message(5, toTensor(tensor))),
    ...inputs.map((value) => message(11, toValue(value))),
    message(12, toValue(output)),
  ];
  const sets = Object.entries(operations).map(([domain, version]) =>
    message(8, [text(1, domain), integer(2, version)]),
  );
  return Buffer.concat([integer(1, FORMAT), ...sets, message(7, graph)]);
}

function toNode({ type, inputs, output, attributes = {}, domain = '' }: OnnxNode): Uint8Array[] {
  const given = Object.entries(attributes).map(([name, value]) =>
    message(
      5,
      typeof value === 'number'
        ? [text(1, name), integer(3, value), integer(20, INTEGER_ATTRIBUTE)]
        : [text(1, name), float(2, value.float), integer(20, FLOAT_ATTRIBUTE)],
    ),
  );
  return [...inputs.map((name) => text(1, name)), text(2, output), text(4, type), ...given, text(7, domain)];
}

function toTensor({ name, shape, values }: OnnxTensor): Uint8Array[] {
  const type = values instanceof Float32Array ? TYPES.float32 : TYPES.uint8;
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return [...shape.map((length) => integer(1, length)), integer(2, type), text(8, name), message(9, [bytes])];
}

function toValue({ name, type, shape }: OnnxValue): Uint8Array[] {
  const lengths = shape.map((length) =>
    message(1, [typeof length === 'string' ? text(2, length) : integer(1, length)]),
  );
  return [text(1, name), message(2, [message(1, [integer(1, TYPES[type]), message(2, lengths)])])];
}

/** Writes a field with a length: a message, text or bytes. */
function message(field: number, parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Uint8Array.of(...varint(field * 8 + 2), ...varint(length)), ...parts]);
}

function text(field: number, value: string): Uint8Array {
  return message(field, [Buffer.from(value)]);
}

function integer(field: number, value: number): Uint8Array {
  return Uint8Array.of(...varint(field * 8), ...varint(value));
}

function float(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([Uint8Array.of(...varint(field * 8 + 5)), bytes]);
}

/** Writes seven bits in each byte, lowest first; all but the last have the top bit set. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return bytes;
}
