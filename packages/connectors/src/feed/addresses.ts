import type { InvalidSetting, SettingValues } from "../kit/invalid-setting.ts";

/** Addresses may contain commas. */
export const listAddresses = (setting: string): string[] =>
  [...new Set(setting.split(/[\s,]+(?=https?:\/\/)|\s+/i))].filter((each) => each !== "");

export function findInvalidFeed({ FEED_URL: setting = "" }: SettingValues): InvalidSetting | undefined {
  const wrong = listAddresses(setting).find((each) => !/^https?:\/\//i.test(each) || !URL.canParse(each));
  if (wrong === undefined) return undefined;
  return { variable: "FEED_URL", reason: "each address must begin with https:// or http://" };
}
