import { PdppError } from "@pdpp/contract/errors";
import { type Certificate, type CertificateFiles, loadCertificate } from "./certificate.ts";
import { watchCertificate } from "./renewal.ts";

/** What a server with TLS knows of its certificate. */

export interface TlsOptions extends CertificateFiles {
  readonly checkEveryMs?: number;
}

export interface Tls {
  readonly certificate: Certificate;
  /** Calls `use` with each renewed certificate. Problems go to `report`. */
  watch(use: (certificate: Certificate) => void, report: (message: string) => void): { close(): void };
}

const checkEveryMs = 10_000;

export async function openTls(files: TlsOptions): Promise<Tls> {
  let certificate = await loadCertificate(files, Date.now());
  return {
    get certificate() {
      return certificate;
    },
    watch: (use, report) =>
      watchCertificate({
        files,
        certificate,
        checkEveryMs: files.checkEveryMs ?? checkEveryMs,
        onRenewed(renewed) {
          certificate = renewed;
          use(renewed);
          report(`using the new certificate, valid until ${formatDay(renewed.expiresAt)}`);
        },
        onBroken: (reason) => report(`still using the old certificate: ${reason}`),
      }),
  };
}

const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The address of a server that was given none: its certificate says for which name it is. */
export function getCertificateUrl({ names: [name] }: Certificate, port: number): string {
  if (name === undefined)
    throw new PdppError("unavailable", "the certificate names no host without a wildcard", {
      next_step: "say which address the server has: --public-url https://NAME",
    });
  const host = name.includes(":") ? `[${name}]` : name;
  return new URL(`https://${host}:${port}`).origin;
}

/** A certificate for another name than clients ask for would be refused by them. */
export const describeWrongName = (certificate: Certificate, publicUrl: string): string | undefined =>
  certificate.isValidFor(new URL(publicUrl).hostname)
    ? undefined
    : `the certificate is for ${certificate.names.join(", ") || "other names"}, not for ${new URL(publicUrl).hostname}; clients will refuse it`;
