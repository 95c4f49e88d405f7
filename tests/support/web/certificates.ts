import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

/** A certificate authority for tests, made by openssl. */

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

interface CertificatePair {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Authority {
  readonly certFile: string;
  readonly pem: string;
  /** Writes `NAME.pem` and `NAME.key` for host names and addresses such as `DNS:localhost` and `IP:127.0.0.1`. */
  issue(name: string, hosts: readonly string[], days?: number): CertificatePair;
}

export function createAuthority(folder: string): Authority {
  const openssl = (args: readonly string[]): void => void execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl([
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-days",
    "30",
    "-subj",
    "/CN=Test authority",
  ]);
  const certFile = join(folder, "ca.pem");
  return {
    certFile,
    pem: readFileSync(certFile, "utf8"),
    issue(name, hosts, days = 10) {
      openssl(["req", "-new", ...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`]);
      writeFileSync(join(folder, `${name}.ext`), hosts.length === 0 ? "" : `subjectAltName=${hosts.join(",")}\n`);
      const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", String(days)];
      openssl(["x509", "-req", "-in", `${name}.csr`, ...signing, "-extfile", `${name}.ext`, "-out", `${name}.pem`]);
      return { certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}.key`) };
    },
  };
}

/** Makes this process's clients trust the authority. Returns what undoes it. */
export function trustAuthority({ pem }: Authority): () => void {
  const before = getCACertificates();
  setDefaultCACertificates([...before, pem]);
  return () => setDefaultCACertificates(before);
}
