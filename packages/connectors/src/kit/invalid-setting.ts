/** A setting that cannot work, found before anything is collected. */
export interface InvalidSetting {
  /** The environment variable of the setting. */
  readonly variable: string;
  /** What to enter instead. */
  readonly reason: string;
}

export type SettingValues = Readonly<Record<string, string>>;
