import { resolve } from "node:path";
import { UsageError } from "../runtime/failure.ts";

interface TlsFlags {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** A service starts in another folder, so the paths are made absolute. */
export function readTlsFiles({ tlsCert, tlsKey }: TlsFlags): TlsFiles | undefined {
  if (!tlsCert && !tlsKey) return undefined;
  if (!tlsCert || !tlsKey) throw new UsageError("--tls-cert and --tls-key need each other");
  return { certFile: resolve(tlsCert), keyFile: resolve(tlsKey) };
}
