/** Keeps the beginning and the end of a byte stream in bounded memory. */
export interface HeadAndTail {
  /** Takes the next bytes. The buffer must not change afterwards. */
  add(chunk: Buffer): void;
  /** Number of bytes taken so far. */
  readonly size: number;
  /** Returns all bytes, as long as none were dropped. */
  whole(): Buffer;
  /** Returns the first and the last bytes, cut between characters. */
  ends(): { readonly head: Buffer; readonly tail: Buffer };
}

/** Keeps the first three quarters of `limit` bytes and the last quarter. */
export function createHeadAndTail(limit: number): HeadAndTail {
  const headLimit = Math.ceil((limit * 3) / 4);
  const ring = createRing(limit - headLimit);
  let head: Buffer = Buffer.alloc(0);
  let headSize = 0;
  let size = 0;

  const grow = (needed: number): void => {
    if (needed <= head.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(headLimit, Math.max(needed, head.length * 2)));
    head.copy(larger, 0, 0, headSize);
    head = larger;
  };

  return {
    get size() {
      return size;
    },
    add(chunk) {
      size += chunk.length;
      const forHead = Math.min(chunk.length, headLimit - headSize);
      if (forHead > 0 && headSize === 0 && forHead === chunk.length) {
        // Most outputs are one chunk, which needs no copy.
        head = chunk;
      } else if (forHead > 0) {
        grow(headSize + forHead);
        chunk.copy(head, headSize, 0, forHead);
      }
      headSize += forHead;
      if (forHead < chunk.length) ring.add(chunk.subarray(forHead));
    },
    whole: () =>
      size === headSize ? head.subarray(0, headSize) : Buffer.concat([head.subarray(0, headSize), ring.content()]),
    ends: () => ({ head: dropPartialEnd(head.subarray(0, headSize)), tail: dropPartialStart(ring.content()) }),
  };
}

/** Keeps the last `capacity` bytes. */
function createRing(capacity: number): { add(chunk: Buffer): void; content(): Buffer } {
  let bytes = Buffer.alloc(0);
  let end = 0;
  let isFull = false;
  return {
    add(chunk) {
      if (capacity === 0) return;
      if (bytes.length === 0) bytes = Buffer.allocUnsafeSlow(capacity);
      const last = chunk.length > capacity ? chunk.subarray(chunk.length - capacity) : chunk;
      const fits = Math.min(last.length, capacity - end);
      last.copy(bytes, end, 0, fits);
      last.copy(bytes, 0, fits);
      if (end + last.length >= capacity) isFull = true;
      end = (end + last.length) % capacity;
    },
    content: () =>
      isFull ? Buffer.concat([bytes.subarray(end), bytes.subarray(0, end)]) : Buffer.from(bytes.subarray(0, end)),
  };
}

/** Drops an incomplete UTF-8 character at the end. */
function dropPartialEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Drops an incomplete UTF-8 character at the start. */
function dropPartialStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
