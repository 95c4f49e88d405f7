import { setTimeout as wait } from "node:timers/promises";
import { answerRequests } from "@pdpp/threads/answer";

/** Does what each word says. Runs in a thread or in a bounded process. */

let answers = 0;

function useCpu(ms: number): void {
  const began = process.cpuUsage();
  const measure = (): number => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
  while (measure() < ms);
}

answerRequests({
  parse: (request) => {
    if (typeof request !== "string") throw new Error("not a word");
    return request;
  },
  answer: async (word) => {
    if (word === "hang") for (;;);
    if (word === "exit") process.exit(3);
    if (word === "fail") throw Object.assign(new Error("no such word"), { code: "EWORD", errcode: 5 });
    if (word === "objects") for (const kept: object[] = []; ; ) kept.push({ n: kept.length });
    if (word === "bytes") for (const kept: Buffer[] = []; ; ) kept.push(Buffer.alloc(4_000_000, 1));
    if (word === "signal") for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(process.pid, name);
    if (word === "environment") return Object.keys(process.env).join(" ");
    if (word === "pid") return `${process.pid} is my pid`;
    if (word === "work") useCpu(100);
    if (word === "slow" || word === "signal") await wait(20);
    answers += 1;
    return `${word} ${answers}`;
  },
});
