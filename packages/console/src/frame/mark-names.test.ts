import { expect, test } from "vitest";
import { findMarkNames } from "./mark-names.ts";

test("[CSL-147] a source's letter is that of the first word that tells it from the others", () => {
  const labels = ["Ada's private mail", "Ada's work mail", "Chat", "Chat archive", "Chat"];
  expect(findMarkNames(labels)).toEqual(["private mail", "work mail", "Chat", "archive", "Chat"]);
});
