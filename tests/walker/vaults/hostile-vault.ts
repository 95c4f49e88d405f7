import type { JsonObject, Role } from "@pdpp/contract/declaration";
import fc from "fast-check";
import { createDice, type Dice } from "../../model/generators/dice.ts";
import { buildGrant, type GrantBlueprint, grantBlueprints } from "../../model/generators/grant-generator.ts";
import { formatKey } from "../../model/generators/keys.ts";
import { createMark } from "../../model/generators/values.ts";
import { buildVault, drawVaultBlueprint, nat, type VaultBlueprint } from "../../model/generators/vault-generator.ts";
import type {
  BlobSpec,
  ConnectorSpec,
  FieldSpec,
  GrantRequest,
  StreamSpec,
  VaultSpec,
  Write,
} from "../../model/spec.ts";
import {
  drawHostileBlob,
  drawHostileJson,
  drawHostileLabel,
  drawHostileText,
  hostileFieldNames,
} from "./hostile-text.ts";

/** The vaults of `tests/model`, with roles, search, many fields and misleading values. */

export interface HostileBlueprint {
  readonly vault: VaultBlueprint;
  readonly grants: readonly GrantBlueprint[];
  readonly hostility: number;
}

export const drawHostileBlueprint = (mostWrites: number): fc.Arbitrary<HostileBlueprint> =>
  fc.record({ vault: drawVaultBlueprint(mostWrites), grants: grantBlueprints, hostility: nat });

export interface HostileVault {
  readonly spec: VaultSpec;
  readonly grants: readonly GrantRequest[];
}

export function buildHostileVault({ vault, grants, hostility }: HostileBlueprint): HostileVault {
  const spec = hostile(buildVault(vault), hostility);
  return { spec, grants: grants.map((grant, i) => buildGrant(spec, grant, `client ${i}`)) };
}

const textRoles: readonly (Role | undefined)[] = [undefined, "primary-title", "body", "secondary", "actor", "body"];

function hostile(plain: VaultSpec, seed: number): VaultSpec {
  const connectors = plain.connectors.map(
    (connector, c): ConnectorSpec => ({
      ...connector,
      streams: connector.streams.map((stream, s) => withDeclarations(createDice(seed, c, s), stream)),
    }),
  );
  const d = createDice(seed, 7);
  const connections = [
    ...plain.connections.map((connection) => ({
      ...connection,
      ...(connection.label === undefined ? {} : { label: drawHostileLabel(d, connection.label) }),
    })),
    ...drawManyConnections(d, connectors),
  ];
  const blobs = [...plain.blobs, ...[10, 11, 12, 13, 14].map((n) => drawHostileBlob(d, n))];
  const numbers = { next: 1_000_000 };
  const writes = plain.writes.map((batch) =>
    batch.map((write, i) => withValues(createDice(seed, i, 13), { connectors, blobs }, write, numbers)),
  );
  return { connectors, connections, blobs, writes };
}

/** More sources of one stream than any list shows at once. */
const drawManyConnections = (d: Dice, [first]: readonly ConnectorSpec[]): VaultSpec["connections"] =>
  d.chance(6)
    ? Array.from({ length: 9 + d.below(20) }, (_, i) => ({
        id: `many-${i}`,
        connectorKey: first!.key,
        label: `No. ${i}`,
      }))
    : [];

function withDeclarations(d: Dice, stream: StreamSpec): StreamSpec {
  const extra = d.chance(10) ? 14 + d.below(40) : d.below(3);
  const taken = new Set(stream.fields.map(({ name }) => name));
  const names = Array.from({ length: extra }, (_, i) => (i < 3 ? d.pick(hostileFieldNames) : `extra ${i}`));
  const added = [...new Set(names)]
    .filter((name) => !taken.has(name))
    .map(
      (name): FieldSpec => ({
        name,
        kind: d.chance(70) ? "text" : "json",
        nullable: true,
        required: false,
        blob: false,
        range: [],
        aggregations: [],
      }),
    );
  let titles = 0;
  const fields = [...stream.fields, ...added].map((field): FieldSpec => {
    const role = drawRole(d, field);
    const once = role === "primary-title" && titles++ > 0 ? undefined : role;
    const text = field.kind === "text";
    return {
      ...field,
      ...(once === undefined ? {} : { role: once }),
      ...(text && d.chance(60) ? { lexical: true } : {}),
      ...(text && field.refersTo === undefined && !stream.primaryKey.includes(field.name) && d.chance(4)
        ? { encoding: "base64" }
        : {}),
    };
  });
  return { ...stream, fields };
}

function drawRole(d: Dice, { kind, blob }: FieldSpec): Role | undefined {
  if (blob) return d.pick([undefined, "blob-reference"]);
  if (kind === "text") return d.pick(textRoles);
  if (kind === "date-time" || kind === "date") return d.pick([undefined, "event-time"]);
  if (kind === "number") return d.pick([undefined, "amount"]);
  return undefined;
}

function withValues(
  d: Dice,
  { connectors, blobs }: { connectors: readonly ConnectorSpec[]; blobs: readonly BlobSpec[] },
  write: Write,
  numbers: { next: number },
): Write {
  if (write.op === "delete") return write;
  const connector = connectors.find(({ key }) => key === write.connectorKey)!;
  const stream = connector.streams.find(({ name }) => name === write.stream)!;
  const mark = () => createMark(numbers.next++);
  const data: JsonObject = { ...write.data };
  for (const field of stream.fields) {
    if (stream.primaryKey.includes(field.name) || field.refersTo !== undefined) continue;
    const absent = !Object.hasOwn(data, field.name);
    if (field.blob) {
      if (d.chance(60)) data[field.name] = blobValue(d, blobs, mark);
    } else if (field.kind === "text" && !(absent && d.chance(20))) data[field.name] = drawHostileText(d, mark());
    else if (field.kind === "json" && d.chance(80)) data[field.name] = drawHostileJson(d, mark);
  }
  return { ...write, data, key: formatKey(stream, data) };
}

const blobValue = (d: Dice, blobs: readonly BlobSpec[], mark: () => string) => {
  const ref = (): JsonObject => ({ ...d.pick(blobs).ref });
  return d.pick<() => JsonObject | JsonObject[]>([
    ref,
    ref,
    () => ({ ...ref(), file_name: `${mark()}.txt` }),
    () => [ref(), { note: mark() }, ref()],
    () => Array.from({ length: 9 + d.below(4) }, ref),
  ])();
};
