import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

/** A passkey without a device. Responds as an authenticator and a browser would, or incorrectly on purpose. */

interface PasskeyInput {
  readonly origin: string;
  readonly rpId?: string;
  /** Present and verified unless set otherwise. */
  readonly flags?: number;
}

export interface SoftPasskey {
  create(challenge: string, said: PasskeyInput): string;
  get(challenge: string, said: PasskeyInput): string;
}

const toBase64 = (encodeBytes: Uint8Array): string => Buffer.from(encodeBytes).toString("base64url");
const hashSha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();

/** The subset of CBOR that attestations need: maps of small integers, texts and bytes. */
function encodeHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  return length < 256
    ? Buffer.from([(major << 5) | 24, length])
    : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
const encodeInteger = (value: number): Buffer => (value >= 0 ? encodeHead(0, value) : encodeHead(1, -1 - value));
const bytes = (value: Uint8Array): Buffer => Buffer.concat([encodeHead(2, value.length), value]);
const encodeText = (value: string): Buffer =>
  Buffer.concat([encodeHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
const encodeMap = (...pairs: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([encodeHead(5, pairs.length), ...pairs.flat()]);

function encodeCoseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return encodeMap(
    [encodeInteger(1), encodeInteger(2)],
    [encodeInteger(3), encodeInteger(-7)],
    [encodeInteger(-1), encodeInteger(1)],
    [encodeInteger(-2), bytes(Buffer.from(x, "base64url"))],
    [encodeInteger(-3), bytes(Buffer.from(y, "base64url"))],
  );
}

const userVerified = 0x05;

export function createSoftPasskey(): SoftPasskey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  const encodeClientData = (type: string, challenge: string, origin: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const encodeAuthData = (
    { origin, rpId = new URL(origin).hostname, flags = userVerified }: PasskeyInput,
    more?: Buffer,
  ): Buffer => {
    // Synced passkeys report no signature count.
    const count = Buffer.alloc(4);
    return Buffer.concat([hashSha256(rpId), Buffer.from([flags | (more ? 0x40 : 0)]), count, more ?? Buffer.alloc(0)]);
  };
  const common = { id: toBase64(id), rawId: toBase64(id), type: "public-key", clientExtensionResults: {} };
  return {
    create(challenge, said) {
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, encodeCoseKey(publicKey)]);
      const attestation = encodeMap(
        [encodeText("fmt"), encodeText("none")],
        [encodeText("attStmt"), encodeMap()],
        [encodeText("authData"), bytes(encodeAuthData(said, attested))],
      );
      const clientDataJSON = toBase64(encodeClientData("webauthn.create", challenge, said.origin));
      return JSON.stringify({ ...common, response: { clientDataJSON, attestationObject: toBase64(attestation) } });
    },
    get(challenge, said) {
      const data = encodeClientData("webauthn.get", challenge, said.origin);
      const authenticatorData = encodeAuthData(said);
      const signature = createSign("sha256")
        .update(Buffer.concat([authenticatorData, hashSha256(data)]))
        .sign(privateKey);
      const response = {
        clientDataJSON: toBase64(data),
        authenticatorData: toBase64(authenticatorData),
        signature: toBase64(signature),
      };
      return JSON.stringify({ ...common, response });
    },
  };
}
