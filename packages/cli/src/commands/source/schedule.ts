import { parseQuietHours, type QuietHours, readScheduleChoice } from "@pdpp/contract/schedule";
import { formatSchedule } from "@pdpp/evidence/text/schedule";
import { type Command, InvalidArgumentError } from "commander";
import { addCommand, type Call, onRun, parseIntervalOption } from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import { withOwner } from "../../runtime/vault.ts";

interface ScheduleOptions {
  readonly every?: number;
  readonly quiet?: QuietHours | "none";
  readonly manual?: boolean;
  readonly default?: boolean;
}

export function addSchedule(group: Command): void {
  const schedule = addCommand(group, "schedule <id>", "Choose when pdpp serve collects a source by itself", [
    "pdpp source schedule github --every 30m --quiet 23:00-07:00",
    "pdpp source schedule github --manual",
    "pdpp source schedule github --default",
  ])
    .option("--every <interval>", "time between runs, such as 30m, 6h or 1d", parseIntervalOption)
    .option("--quiet <hours>", "do not start between these times, or none", parseQuietOption)
    .option("--manual", "collect only with pdpp source sync")
    .option("--default", "as its connector recommends, without quiet hours");
  onRun(schedule, ({ options, out, location }: Call<ScheduleOptions>, id: string) =>
    withOwner(location, async ({ sources }) => {
      const { every, quiet, manual, default: isDefault } = options;
      if (manual && (every !== undefined || quiet !== undefined))
        throw new UsageError("--manual excludes --every and --quiet");
      const { kind, settings } = await sources.get(id);
      if (kind === "push") throw new UsageError(`${id} has no schedule: it stores what is sent to it`);
      const before = readScheduleChoice(settings);
      const { quiet_hours: quietBefore } = before;
      const isUnchanged = every === undefined && quiet === undefined && !manual && !isDefault;
      const quietHours = quiet === "none" ? undefined : (quiet ?? quietBefore);
      const source = isUnchanged
        ? await sources.get(id)
        : await sources.setSchedule(id, {
            ...(isDefault ? {} : before),
            ...(every !== undefined && { mode: "automatic", interval_seconds: every }),
            ...(manual && { mode: "manual" }),
            quiet_hours: isDefault && quiet === undefined ? undefined : quietHours,
          });
      out.result(source, () => `${id} is collected ${formatSchedule(source.schedule)}`);
    }),
  );
}

function parseQuietOption(text: string): QuietHours | "none" {
  const hours = text === "none" ? "none" : parseQuietHours(text);
  if (hours !== undefined) return hours;
  throw new InvalidArgumentError("Expected two times of day, such as 23:00-07:00, or none.");
}
