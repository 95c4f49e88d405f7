import type { Html } from "../../frame/frame.tsx";
import { formatCount, renderText } from "../../frame/render/values.tsx";
import { getDay, renderContactDay } from "../person/days.tsx";
import { getPersonUrl } from "../person/person-data.ts";
import type { MailView } from "./view.ts";

/** Who the sender is, or whom the owner wrote to. */
export function renderPersonCard({ correspondent: person, names, now, timeZone }: MailView): Html {
  if (person === undefined) return <></>;
  const mails = person.sources
    .filter(({ connection_id, stream }) => names.declaration(connection_id, stream)?.presentation?.kind === "mail")
    .reduce((sum, { things }) => sum + things, 0);
  const others = person.things - mails;
  const counts = [
    ...(mails === 0 ? [] : [formatCount(mails, "mail")]),
    ...(others <= 0 ? [] : [formatCount(others, mails === 0 ? "record" : "other record")]),
  ];
  return (
    <section aria-label="Person">
      <h2>{renderText(person.display_name)}</h2>
      <p class="soft">
        {counts.length > 0 && <>{counts.join(", ")}. </>}
        Last contact: {renderContactDay(person.last_contact, getDay(now, timeZone))}
      </p>
      <p>
        <a href={getPersonUrl(person.handle)}>Open person</a>
      </p>
    </section>
  );
}
