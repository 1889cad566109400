import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Returns the name under which a store keeps the data of an unguessable id. The name does not reveal the id. */
export function toStoredName(id: string): string {
  return createHash('sha256').update(`pegboard name ${id}`).digest('base64url');
}

/** Encrypts bytes so that only holders of the unguessable id can read or create them. */
export function sealById(id: string, bytes: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(id), nonce, { authTagLength: TAG_BYTES });
  const text = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts bytes; `undefined` when they belong to another id or were changed. */
export function unsealById(id: string, sealed: Uint8Array): Buffer | undefined {
  try {
    const cipher = createDecipheriv(ALGORITHM, keyOf(id), sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    cipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
  } catch {
    return undefined;
  }
}

function keyOf(id: string): Buffer {
  return createHash('sha256').update(`pegboard key ${id}`).digest();
}
