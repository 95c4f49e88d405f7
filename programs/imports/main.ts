import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { formats } from "@pdpp/importers/formats";
import { detect } from "@pdpp/importers/plan";
import { openTree } from "@pdpp/importers/tree";

/** Reads every folder of a collection of exports and prints a table: records, rejected items, time. */

const folder = process.argv[2] ?? "../shared/fixtures";
if (!existsSync(folder)) {
  process.stderr.write(`folder not found: ${folder}. Run: npm run imports -- FOLDER\n`);
  process.exit(1);
}

const answers = { time_zone: "UTC", date_order: "dmy", me: "", attachments: false };
const rows: string[][] = [];
const folders = readdirSync(folder, { withFileTypes: true }).filter((item) => item.isDirectory());
for (const name of folders.map((item) => item.name).sort()) {
  const tree = await openTree([join(folder, name)]);
  try {
    const began = performance.now();
    const { claims } = await detect(tree, formats);
    const counts = new Map<string, number>();
    const aside = new Map<string, number>();
    for (const { importer, claim } of claims) {
      for await (const item of importer.read(claim, answers)) {
        if (item.kind === "record") counts.set(item.stream, (counts.get(item.stream) ?? 0) + 1);
        if (item.kind === "rejected") aside.set(item.code, (aside.get(item.code) ?? 0) + 1);
      }
    }
    const kinds = [...new Set(claims.map(({ importer }) => importer.key))].join(", ") || "-";
    const records = [...counts].map(([stream, n]) => `${n} ${stream}`).join(", ") || "-";
    const put = [...aside].map(([code, n]) => `${n} ${code}`).join(", ") || "0";
    const known = new Set(claims.flatMap(({ claim }) => [...claim.entries, ...claim.companions]));
    const files = `${known.size} of ${tree.entries.length}`;
    rows.push([name, kinds, files, records, put, `${Math.round(performance.now() - began)} ms`]);
  } finally {
    await tree.close();
  }
}
const lines = [
  ["folder", "format", "files understood", "records", "aside", "time"],
  ["---", "---", "---", "---", "---", "---"],
  ...rows,
];
process.stdout.write(lines.map((cells) => `| ${cells.join(" | ")} |\n`).join(""));
