import type { Random } from "@pdpp/test-support/vitest/random";

const words = "boiler gutter invoice ladder naïve ключ recipe mushroom train ticket delayed dentist piano".split(" ");

/** A distinct mail; one in twenty has a file. */
export function writeMail(dice: Random, n: number, more: Readonly<Record<string, string>> = {}): string {
  const body = Array.from({ length: dice.int(5, 200) }, () => dice.pick(words)).join(" ");
  const headers = {
    From: `Someone <someone${n % 50}@example.org>`,
    To: "ada@example.org",
    Subject: `Mail ${n}`,
    "Message-ID": `<mail-${n}@example.org>`,
    Date: new Date(Date.UTC(2020, 0, 1) + n * 3_600_000).toUTCString().replace("GMT", "+0000"),
    "MIME-Version": "1.0",
    ...more,
  };
  const head = Object.entries(headers)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");
  const plain = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n";
  if (n % 20 !== 0) return `${head}${plain}${body}\n`;
  return `${head}Content-Type: multipart/mixed; boundary="b"

--b
${plain}${body}
--b
Content-Type: text/csv; name="list.csv"
Content-Disposition: attachment; filename="list.csv"

item,price
boiler,${n}
--b--
`;
}
