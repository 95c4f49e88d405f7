import * as field from "../../core/records/field.ts";
import { defineManifest, defineStream } from "../../core/records/schema.ts";

const defineAmount = (unit: string, description: string) => ({
  type: ["number", "null"],
  x_pdpp_unit_field: unit,
  description,
});

export const healthManifest = defineManifest("apple-health", "Apple Health", "1.0.0", [
  defineStream({
    name: "samples",
    label: "Measurements",
    description: "Steps, heart rate, sleep, weight and other measurements. Can be summed by day and type.",
    time: "started_at",
    fields: {
      id: field.text(),
      type: field.title(),
      value: { ...defineAmount("unit", "The measured value; null if it is not a number."), x_pdpp_role: "amount" },
      unit: field.maybeText(),
      value_text: field.maybeText({ description: "A value that is not a number, such as AsleepCore." }),
      started_at: field.eventTime(),
      ended_at: field.time("When it ended; equal to started_at for a single moment."),
      created_at: field.time("When it was recorded."),
      source: field.maybeText({ x_pdpp_role: "secondary", description: "The app or device that recorded it." }),
      device: field.maybeText(),
      extra: field.extra(),
    },
    search: ["type", "value_text", "source"],
    ranges: ["ended_at", "value"],
    groups: ["type", "unit", "source", "device", "value_text"],
    sums: ["value"],
  }),
  defineStream({
    name: "workouts",
    label: "Workouts",
    description: "Runs, rides, swims and other workouts.",
    time: "started_at",
    fields: {
      id: field.text(),
      type: field.title(),
      started_at: field.eventTime(),
      ended_at: field.time("When it ended."),
      duration_minutes: { type: ["number", "null"] },
      distance: { ...defineAmount("distance_unit", "Distance covered."), x_pdpp_role: "amount" },
      distance_unit: field.maybeText(),
      energy: defineAmount("energy_unit", "Energy burned."),
      energy_unit: field.maybeText(),
      source: field.maybeText({ x_pdpp_role: "secondary" }),
      device: field.maybeText(),
      route_points: field.count("Number of route points in the export."),
      route: field.blobReference(),
      extra: field.extra(),
    },
    search: ["type", "source"],
    ranges: ["duration_minutes", "distance"],
    groups: ["type", "source"],
    sums: ["duration_minutes", "distance", "energy"],
  }),
]);
