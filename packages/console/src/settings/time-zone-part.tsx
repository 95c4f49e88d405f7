import { type Html, renderCsrfField } from "../frame/frame.tsx";
import type { SettingsView } from "./settings-page.tsx";

export function renderTimeZone({ self: { time_zone: zone, is_time_zone_set: isSet }, viewer }: SettingsView): Html {
  const renderOption = (name: string) => <option selected={isSet && name === zone}>{name}</option>;
  const zones = Intl.supportedValuesOf("timeZone");
  return (
    <>
      <p>
        Records and search results use this time zone, unless a record has its own. Dates in a search start at midnight
        in this zone.
      </p>
      <form method="post" action="/settings/time-zone">
        {renderCsrfField(viewer)}
        <div class="line">
          <label>
            Time zone
            <select name="zone">
              <option value="">{isSet ? "Same as the server" : `Same as the server (${zone})`}</option>
              {isSet && !zones.includes(zone) && renderOption(zone)}
              {zones.map(renderOption)}
            </select>
          </label>
          <button>Save</button>
        </div>
      </form>
    </>
  );
}
