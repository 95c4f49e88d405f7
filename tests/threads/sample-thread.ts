import { setTimeout as wait } from "node:timers/promises";
import { answerRequests } from "@pdpp/threads/answer";

let answers = 0;

answerRequests({
  parse: (request) => {
    if (typeof request !== "string") throw new Error("not a word");
    return request;
  },
  answer: async (word) => {
    if (word === "hang") for (;;);
    if (word === "exit") process.exit(3);
    if (word === "fail") throw Object.assign(new Error("no such word"), { code: "EWORD", errcode: 5 });
    if (word === "slow") await wait(20);
    answers += 1;
    return `${word} ${answers}`;
  },
});
