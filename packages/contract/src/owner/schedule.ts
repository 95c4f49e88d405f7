import { z } from "zod";

/** When a source is collected by itself. */
export interface SourceSchedule {
  readonly mode: "automatic" | "manual";
  /** Between runs, if they are automatic. */
  readonly interval_seconds: number;
  /** No run starts by itself between these times of day in the owner's time zone. */
  readonly quiet_hours?: QuietHours;
  /** The shortest interval that the connector allows. */
  readonly minimum_interval_seconds: number;
}

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const quietHours = z.object({ from: timeOfDay, to: timeOfDay }).refine(({ from, to }) => from !== to);
export type QuietHours = z.infer<typeof quietHours>;

/** The owner's choices. The connector's recommendation applies to the rest. */
const scheduleChoice = z.object({
  mode: z.enum(["automatic", "manual"]).optional(),
  interval_seconds: z.int().positive().max(31_536_000).optional(),
  quiet_hours: quietHours.optional(),
});
export type ScheduleChoice = z.infer<typeof scheduleChoice>;

/** The owner's choice from the settings of a source; none if it is not valid. */
export const readScheduleChoice = (settings: { readonly schedule?: unknown }): ScheduleChoice =>
  scheduleChoice.safeParse(settings.schedule).data ?? {};

/** Parses `23:00-07:00`. */
export function parseQuietHours(text: string): QuietHours | undefined {
  const [from, to] = text.split("-").map((time) => time.trim());
  return quietHours.safeParse({ from, to }).data;
}
