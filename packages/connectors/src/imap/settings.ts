import { ConnectorFailure } from "../kit/protocol.ts";
import { isPort } from "./check-values.ts";

export interface AccountSettings {
  readonly host: string;
  readonly port: number;
  /** `none` sends the password in the clear, so it must be asked for. */
  readonly security: "tls" | "starttls" | "none";
  readonly user: string;
  readonly login: { readonly pass: string } | { readonly accessToken: string };
  /** Undefined for all folders but junk and trash. */
  readonly folders: readonly string[] | undefined;
  /** Whether mails that are gone from the account are deleted. */
  readonly deletesAbsent: boolean;
  /** A run ends after this many mails, so that little is repeated if the next one fails. */
  readonly mailsPerRun: number;
}

export function readSettings(env: NodeJS.ProcessEnv): AccountSettings {
  const { IMAP_HOST: host, IMAP_USER: user, IMAP_PASSWORD: pass, IMAP_ACCESS_TOKEN: accessToken } = env;
  if (!host) throw createSettingError("IMAP_HOST", "is missing; it is the name of the mail server");
  if (!user) throw createSettingError("IMAP_USER", "is missing; it is often the mail address");
  if (!pass && !accessToken)
    throw new ConnectorFailure("password_missing", `No password for ${user} at ${host}.`, "refresh_credentials");
  const security = readChoice(env, "IMAP_SECURITY", ["tls", "starttls", "none"]);
  const port = Number(env.IMAP_PORT || (security === "tls" ? 993 : 143));
  if (!isPort(String(port))) throw createSettingError("IMAP_PORT", "is not a port");
  const folders = env.IMAP_FOLDERS?.split(",").map((name) => name.trim());
  return {
    host,
    port,
    security,
    user,
    login: accessToken ? { accessToken } : { pass: pass ?? "" },
    folders: folders?.filter((name) => name !== ""),
    mailsPerRun: Number(env.IMAP_MAILS_PER_RUN || 20_000),
    deletesAbsent: readChoice(env, "IMAP_ABSENT", ["delete", "keep"]) === "delete",
  };
}

/** The first choice is the default. */
function readChoice<Choice extends string>(
  env: NodeJS.ProcessEnv,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = env[name] || choices[0];
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw createSettingError(name, `must be one of ${choices.join(", ")}`);
  return found;
}

const createSettingError = (name: string, what: string): ConnectorFailure =>
  new ConnectorFailure("setting_invalid", `The setting ${name} ${what}.`, "manual_action_required");
