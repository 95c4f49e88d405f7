import { isIP } from "node:net";
import type { InvalidSetting, SettingValues } from "../kit/invalid-setting.ts";

export function findInvalidAccount({
  IMAP_HOST: host = "",
  IMAP_PORT: port = "",
}: SettingValues): InvalidSetting | undefined {
  if (isIP(host) === 0 && !/^[^\s/@:]+$/.test(host))
    return { variable: "IMAP_HOST", reason: "enter the name of the server only, such as imap.example.com" };
  if (port !== "" && !isPort(port)) return { variable: "IMAP_PORT", reason: "enter a number from 1 to 65535" };
  return undefined;
}

export const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
