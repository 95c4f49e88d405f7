import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { getErrorCode, getErrorMessage } from "../../system-error.ts";
import { type Certificate, type CertificateFiles, loadCertificate } from "./certificate.ts";

export interface RenewalOptions {
  readonly files: CertificateFiles;
  readonly certificate: Certificate;
  readonly checkEveryMs: number;
  readonly onRenewed: (certificate: Certificate) => void;
  /** The old certificate stays in use. Called once for each broken state of the files. */
  readonly onBroken: (reason: string) => void;
}

/**
 * Loads a certificate again when its files have changed. Reads the files instead of watching them, because certbot
 * replaces symbolic links and container runtimes replace folders.
 */
export function watchCertificate({ files, certificate, checkEveryMs, onRenewed, onBroken }: RenewalOptions): {
  close(): void;
} {
  let used = digest([certificate.cert, certificate.key]);
  let broken: string | undefined;
  let reported: string | undefined;
  let isChecking = false;
  const check = async (): Promise<void> => {
    const found = await digestFiles(files);
    if (found === used || found === reported) return;
    try {
      const renewed = await loadCertificate(files, Date.now());
      used = digest([renewed.cert, renewed.key]);
      reported = undefined;
      onRenewed(renewed);
    } catch (error) {
      // The two files are replaced one after the other, so a pair that does not fit gets a second chance.
      if (found === broken) {
        reported = found;
        onBroken(getErrorMessage(error));
      }
      broken = found;
    }
  };
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void check().finally(() => {
      isChecking = false;
    });
  }, checkEveryMs).unref();
  return { close: () => clearInterval(timer) };
}

function digest(parts: readonly (Buffer | string)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}\n`).update(part);
  return hash.digest("base64");
}

const digestFiles = async ({ certFile, keyFile }: CertificateFiles): Promise<string> =>
  digest(
    await Promise.all(
      [certFile, keyFile].map((file) => readFile(file).catch((error: unknown) => getErrorCode(error) ?? "unreadable")),
    ),
  );
