import type { Html } from "../frame/frame.tsx";
import { renderText } from "../frame/render/values.tsx";
import type { FormField, FormValues } from "./source-service.ts";

/** Form fields have names of their own, so that a connector's field cannot replace one of ours. */
const prefix = "field ";

export const renderFields = (fields: readonly FormField[], values: FormValues): Html => (
  <>
    {fields.map(({ name, label, description, example, isSecret, isRequired }) => (
      <label class="field">
        <span>
          {renderText(label)}
          {!isRequired && !isSecret && <span class="soft"> (optional)</span>}
        </span>
        {description !== undefined && <span class="soft">{renderText(description)}</span>}
        <input
          type={isSecret ? "password" : "text"}
          name={`${prefix}${name}`}
          value={isSecret ? undefined : values[name]}
          required={isRequired}
          placeholder={example}
          maxlength={4000}
          autocomplete={isSecret ? "new-password" : "off"}
          autocapitalize="off"
          spellcheck={false}
        />
      </label>
    ))}
  </>
);

export const readFields = (form: FormData): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      name.startsWith(prefix) && typeof value === "string" ? [[name.slice(prefix.length), value]] : [],
    ),
  );
