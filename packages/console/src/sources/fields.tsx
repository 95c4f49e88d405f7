import type { Html } from "../frame/frame.tsx";
import { renderText } from "../frame/render/values.tsx";
import type { FormField, FormValues } from "./source-service.ts";

/** Prefixed, so that a connector's field cannot replace one of ours. */
const prefix = "field ";

const createId = (name: string): string => `field-${encodeURIComponent(name)}`;

export const renderFields = (fields: readonly FormField[], values: FormValues): Html => (
  <>
    {fields.map(({ name, label, description, example, choices, isSecret, isRequired }) => (
      <label class="field" for={createId(name)}>
        <span>
          {renderText(label)}
          {!isRequired && !isSecret && choices === undefined && <span class="soft"> (optional)</span>}
        </span>
        {description !== undefined && <span class="soft">{renderText(description)}</span>}
        {choices === undefined ? (
          <input
            id={createId(name)}
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
        ) : (
          <select id={createId(name)} name={`${prefix}${name}`}>
            {choices.map((choice) => (
              <option value={choice.value} selected={choice.value === values[name]}>
                {choice.label}
              </option>
            ))}
          </select>
        )}
      </label>
    ))}
  </>
);

/** Shown directly; other fields are folded. */
export const isBasic = ({ isRequired, isSecret }: FormField): boolean => isRequired || isSecret;

export const readFields = (form: FormData): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      name.startsWith(prefix) && typeof value === "string" ? [[name.slice(prefix.length), value]] : [],
    ),
  );
