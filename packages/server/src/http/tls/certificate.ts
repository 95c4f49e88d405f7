import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorCode, getErrorMessage } from "../../system-error.ts";

/** Reads a certificate with its key and says what is wrong with them before a client would. */

export interface CertificateFiles {
  /** The certificate, followed by the certificates of its issuers. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Host names and addresses that it is valid for, without wildcards. */
  readonly names: readonly string[];
  readonly expiresAt: number;
  isValidFor(hostname: string): boolean;
}

export async function loadCertificate({ certFile, keyFile }: CertificateFiles, now: number): Promise<Certificate> {
  const [cert, key] = [await readPem(certFile, "certificate"), await readPem(keyFile, "private key")];
  const parsed = parseCertificate(cert, certFile);
  const problem = findProblem(parsed, parseKey(key, keyFile), now);
  if (problem !== undefined) throw createProblem(`${problem.replace("CERT", certFile).replace("KEY", keyFile)}`);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw createProblem(`${certFile} cannot be used for TLS: ${getErrorMessage(error)}`);
  }
  return {
    cert,
    key,
    names: listNames(parsed),
    expiresAt: parsed.validToDate.getTime(),
    isValidFor: (hostname) => isValidFor(parsed, hostname),
  };
}

const createProblem = (message: string, advice?: string): PdppError =>
  new PdppError("unavailable", message, advice === undefined ? {} : { next_step: advice });

async function readPem(file: string, kind: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = getErrorCode(error);
    const reason = code === "ENOENT" ? "there is no such file" : code === "EACCES" ? "permission denied" : code;
    throw createProblem(
      `cannot read the ${kind} ${file}: ${reason ?? getErrorMessage(error)}`,
      code === "EACCES" ? "let the user that runs pdpp read it" : undefined,
    );
  }
}

function parseCertificate(pem: Buffer, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw createProblem(`${file} has no certificate in PEM format`);
  }
}

function parseKey(pem: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    if (getErrorCode(error) === "ERR_MISSING_PASSPHRASE" || pem.includes("ENCRYPTED"))
      throw createProblem(
        `the private key in ${file} has a passphrase`,
        `remove it with: openssl pkey -in ${file} -out NEW_FILE`,
      );
    throw createProblem(`${file} has no private key in PEM format`);
  }
}

function findProblem(certificate: X509Certificate, key: KeyObject, now: number): string | undefined {
  if (!certificate.checkPrivateKey(key)) return "the private key in KEY does not belong to the certificate in CERT";
  const { validFromDate, validToDate } = certificate;
  if (validToDate.getTime() <= now) return `the certificate in CERT expired on ${formatDay(validToDate)}; renew it`;
  if (validFromDate.getTime() > now)
    return `the certificate in CERT is valid from ${formatDay(validFromDate)} on; check this computer's clock`;
  return undefined;
}

const formatDay = (date: Date): string => date.toISOString().slice(0, 10);

const listNames = ({ subjectAltName = "" }: X509Certificate): string[] =>
  [...subjectAltName.matchAll(/\b(?:DNS|IP Address):([^,\s"]+)/g)]
    .map(([, name = ""]) => name.toLowerCase())
    .filter((name) => !name.includes("*"));

const isValidFor = (certificate: X509Certificate, hostname: string): boolean => {
  const name = hostname.replace(/^\[(.*)\]$/, "$1");
  return (certificate.checkHost(name) ?? certificate.checkIP(name)) !== undefined;
};
