import type { InvalidSetting, SettingValues } from "../kit/invalid-setting.ts";

export function findInvalidDavAddress({ DAV_URL: address = "" }: SettingValues): InvalidSetting | undefined {
  const text = address.trim();
  const isUrl = /^https?:\/\//i.test(text) && URL.canParse(text);
  // A domain, or a user of one. On a home network a server may have a name without a dot, as a URL.
  const isAccount = /^(?:[^\s/]+@)?[^\s/@.]+(?:\.[^\s/@.]+)+$/.test(text);
  if (isUrl || isAccount) return undefined;
  return { variable: "DAV_URL", reason: "enter an address such as https://dav.example.com, or ada@example.com" };
}
