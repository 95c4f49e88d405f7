import { deriveId } from "../../core/identity.ts";
import { defineContactStreams } from "../../core/records/people.ts";
import { defineManifest } from "../../core/records/schema.ts";
import { dropNulls } from "../../core/text/clean.ts";
import { parseEnglishTime } from "../../core/time/english-time.ts";
import { formatLocalTime } from "../../core/time/times.ts";
import { createRecipeImporter } from "./recipe.ts";

/** LinkedIn connections. Three lines about privacy precede the table. */
export const linkedin = createRecipeImporter({
  key: "linkedin",
  title: "LinkedIn connections",
  manifest: defineManifest("linkedin", "LinkedIn", "1.0.0", defineContactStreams()),
  mainStream: "contacts",
  sheets: [
    {
      columns: ["First Name", "Last Name", "Email Address", "Company", "Position", "Connected On"],
      also: ["URL"],
      *read(row) {
        const [given, family, url] = [row.value("First Name"), row.value("Last Name"), row.value("URL")];
        const name = [given, family].filter((part) => part !== null).join(" ");
        if (name === "" && url === null) throw new Error("it names nobody");
        const connected = parseDay(row.value("Connected On"));
        yield {
          kind: "record",
          stream: "contacts",
          data: {
            id: url ?? row.numbered(deriveId("linkedin", name, connected)),
            display_name: name === "" ? url : name,
            given_name: given,
            family_name: family,
            nickname: null,
            organization: row.value("Company"),
            job_title: row.value("Position"),
            emails: [row.value("Email Address") ?? ""].filter((text) => text !== ""),
            phones: [],
            addresses: [],
            urls: url === null ? [] : [url],
            birthday: null,
            categories: [],
            note: null,
            updated_at: connected === null ? null : `${connected}T00:00:00Z`,
            photo: null,
            extra: dropNulls({ connected_on: connected }),
          },
        };
      },
    },
  ],
});

/** `31 Jan 2024`. */
function parseDay(text: string | null): string | null {
  const found = /^(\d{1,2}) ([A-Z][a-z]{2})[a-z]* (\d{4})$/.exec(text ?? "");
  const time = found === null ? null : parseEnglishTime(`${found[2]} ${found[1]}, ${found[3]}, 12:00:00 AM UTC`);
  return time === null ? null : formatLocalTime(time.local).slice(0, 10);
}
