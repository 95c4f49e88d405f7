import type { Html } from "../frame/frame.tsx";
import { formatCount, renderText } from "../frame/render/values.tsx";
import type { PlanQuestion, PlanTarget } from "./import-service.ts";
import { truncate } from "./unrecognized-files.tsx";

/** The fields of an import plan: what the import asks, and the source each part goes to. */

const dateOrderLabels: Readonly<Record<string, string>> = {
  dmy: "day, month, year",
  mdy: "month, day, year",
  ymd: "year, month, day",
};

export function renderQuestion({ key, text, choices, usual, isRemembered, skippableParts }: PlanQuestion): Html {
  const asked = (
    <>
      {renderText(text)} {isRemembered && <span class="soft">Same as last time.</span>}
    </>
  );
  if (key === "time_zone") return renderTimeZoneField(asked, isRemembered, usual);
  const id = `ask-${key}`;
  const isRequired = usual === undefined && skippableParts === undefined;
  return (
    <p class="ask">
      <label for={id}>{asked}</label>
      <br />
      {choices === undefined ? (
        <input type="text" id={id} name={key} value={usual ?? ""} maxlength={200} required={isRequired} />
      ) : (
        <select id={id} name={key} required={isRequired}>
          {isRequired && <option value="">Choose</option>}
          {usual === undefined && skippableParts !== undefined && (
            <option value="">Skip what needs this ({formatCount(skippableParts, "export")})</option>
          )}
          {usual === "" && (
            <option value="" selected>
              None of these
            </option>
          )}
          {choices.map((choice) => (
            <option value={choice} selected={choice === usual}>
              {dateOrderLabels[choice] ?? truncate(choice)}
            </option>
          ))}
        </select>
      )}
    </p>
  );
}

const zones: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

/** Found by typing a part of its name. Defaults to the server's time zone; a script fills in the browser's, unless it was answered before. */
function renderTimeZoneField(
  asked: Html,
  isRemembered = false,
  usual = Intl.DateTimeFormat().resolvedOptions().timeZone,
): Html {
  return (
    <p class="ask">
      <label for="ask-time_zone">{asked}</label>
      <br />
      <input
        type="text"
        id="ask-time_zone"
        name="time_zone"
        list="time-zones"
        value={usual}
        data-zone={isRemembered ? undefined : ""}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxlength={100}
        required
      />
      <datalist id="time-zones">
        {zones.map((zone) => (
          <option value={zone} />
        ))}
      </datalist>
    </p>
  );
}

export function renderTargetField({ key, title, connections }: PlanTarget): Html {
  const name = (
    <input
      type="text"
      id={`label-${key}`}
      name={`label ${key}`}
      value={connections.length === 0 ? title : ""}
      maxlength={120}
      autocomplete="off"
      required={connections.length === 0}
    />
  );
  const hidden = <input type="hidden" name="target" value={key} />;
  if (connections.length === 0)
    return (
      <p class="ask">
        {hidden}
        <label for={`label-${key}`}>Source name ({title})</label>
        <br />
        {name}
      </p>
    );
  const isOne = connections.length === 1;
  return (
    <p class="ask">
      {hidden}
      <label for={`into-${key}`}>Import {title} into</label>
      <br />
      <select id={`into-${key}`} name={`into ${key}`}>
        {!isOne && (
          <option value="" selected>
            Choose, or name a new source
          </option>
        )}
        {connections.map(({ id, label }) => (
          <option value={id} selected={isOne}>
            {truncate(label)}
          </option>
        ))}
        {isOne && <option value="">New source</option>}
      </select>
      <span class="soft">
        <label for={`label-${key}`}>New source name</label> {name}
      </span>
    </p>
  );
}
