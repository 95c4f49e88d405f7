import { expect, it } from "vitest";
import { classifyCompound } from "./compounds.ts";

it.each<[string, string, string | null]>([
  ["versicherung", "haftpflichtversicherung", "head"],
  ["versicherung", "haftpflichtversicherungen", "head"],
  ["schaden", "wasserschaden", "head"],
  ["kapitan", "donaudampfschifffahrtsgesellschaftskapitan", "head"],
  ["kundigung", "kundigungsfrist", "modifier"],
  ["strassenbahn", "strassenbahnfahrkarte", "modifier"],
  ["arbeit", "arbeitsweg", "modifier"],
  ["paper", "newspaper", "head"],
  ["water", "waterfall", "modifier"],
  ["nation", "nationalization", null],
  ["govern", "government", null],
  ["friend", "friendship", null],
  ["friend", "freundlich", null],
  ["connect", "disconnect", null],
  ["state", "understate", null],
  ["haus", "krankenhaus", null],
  ["versicherung", "versicherungen", null],
  ["garden", "kindergardenerinnen", null],
  ["house", "house4rent", null],
  ["встреча", "видеовстреча", null],
])("[SRCH-10] classifies compounds: %s in %s is %s", (word, form, part) =>
  expect(classifyCompound(word, form)).toBe(part),
);
