import { expect, test } from "vitest";
import type { InteractionMessage } from "../protocol/messages.ts";
import { Questions } from "./questions.ts";

const request: InteractionMessage = {
  type: "INTERACTION",
  request_id: "q1",
  kind: "credentials",
  message: "Sign in",
  schema: { properties: { user: { title: "User name" }, password: {}, remember: {} }, required: ["user"] },
};

test("[CSL-164] a question ends with its time, and an answer after it is not passed on", async () => {
  const questions = new Questions();
  const expiry = new AbortController();
  const answer = questions.ask("1 mail", () => 1000)(request, expiry.signal);
  expect(questions.find("1 mail")).toMatchObject({
    id: "q1",
    expiresAt: 301_000,
    fields: [
      { name: "user", label: "User name", isSecret: false, isRequired: true },
      { name: "password", label: "Password", isSecret: true, isRequired: false },
      { name: "remember", label: "Remember", isSecret: false, isRequired: false },
    ],
  });
  expect(questions.find("2 mail")).toBeUndefined();
  expect(() => questions.answer("1 mail", "q1", { user: " " })).toThrow('enter a value for "User name"');
  expiry.abort();
  expect(await answer).toEqual({ status: "cancelled" });
  expect(questions.find("1 mail")).toBeUndefined();
  expect(() => questions.answer("1 mail", "q1", { user: "ada" })).toThrow("no longer open");
});

test("[CSL-164] an answer has only the fields that were asked for", async () => {
  const questions = new Questions();
  const answer = questions.ask("1 mail", () => 0)(request, new AbortController().signal);
  questions.answer("1 mail", "q1", { user: "ada", other: "x", remember: "" });
  expect(await answer).toEqual({ status: "success", data: { user: "ada" } });
});
