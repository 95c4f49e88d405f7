import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

/** A passkey without a device. Responds as an authenticator and a browser would, or incorrectly on purpose. */

interface Said {
  readonly origin: string;
  readonly rpId?: string;
  /** Present and verified unless set otherwise. */
  readonly flags?: number;
}

export interface SoftPasskey {
  create(challenge: string, said: Said): string;
  get(challenge: string, said: Said): string;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();

/** The subset of CBOR that attestations need: maps of small integers, texts and bytes. */
function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  return length < 256
    ? Buffer.from([(major << 5) | 24, length])
    : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
const integer = (value: number): Buffer => (value >= 0 ? head(0, value) : head(1, -1 - value));
const bytes = (value: Uint8Array): Buffer => Buffer.concat([head(2, value.length), value]);
const text = (value: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
const map = (...pairs: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([head(5, pairs.length), ...pairs.flat()]);

function coseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  return map(
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, "base64url"))],
    [integer(-3), bytes(Buffer.from(y, "base64url"))],
  );
}

const userVerified = 0x05;

export function softPasskey(): SoftPasskey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  const clientData = (type: string, challenge: string, origin: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const authData = ({ origin, rpId = new URL(origin).hostname, flags = userVerified }: Said, more?: Buffer): Buffer => {
    // Synced passkeys report no signature count.
    const count = Buffer.alloc(4);
    return Buffer.concat([sha256(rpId), Buffer.from([flags | (more ? 0x40 : 0)]), count, more ?? Buffer.alloc(0)]);
  };
  const common = { id: base64(id), rawId: base64(id), type: "public-key", clientExtensionResults: {} };
  return {
    create(challenge, said) {
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(publicKey)]);
      const attestation = map(
        [text("fmt"), text("none")],
        [text("attStmt"), map()],
        [text("authData"), bytes(authData(said, attested))],
      );
      const clientDataJSON = base64(clientData("webauthn.create", challenge, said.origin));
      return JSON.stringify({ ...common, response: { clientDataJSON, attestationObject: base64(attestation) } });
    },
    get(challenge, said) {
      const data = clientData("webauthn.get", challenge, said.origin);
      const authenticatorData = authData(said);
      const signature = createSign("sha256")
        .update(Buffer.concat([authenticatorData, sha256(data)]))
        .sign(privateKey);
      const response = {
        clientDataJSON: base64(data),
        authenticatorData: base64(authenticatorData),
        signature: base64(signature),
      };
      return JSON.stringify({ ...common, response });
    },
  };
}
