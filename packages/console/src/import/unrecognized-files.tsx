import { isolateLabel } from "@pdpp/evidence/text/label";
import type { Html } from "../frame/frame.tsx";
import { formatNumber, renderText } from "../frame/render/values.tsx";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";
import type { ImportPlan } from "./import-service.ts";

/** Unrecognized files of an export, which are skipped. */

export type UnrecognizedFiles = Pick<ImportPlan, "notUnderstood" | "notUnderstoodCount">;

const maxTextChars = 200;
export const truncate = (text: string): string => isolateLabel(text, maxTextChars);

export function renderFiles({ notUnderstood, notUnderstoodCount }: UnrecognizedFiles): Html {
  const more = notUnderstoodCount - notUnderstood.length;
  return (
    <>
      <ul class="left">
        {notUnderstood.map(({ path, reason }) => (
          <li>
            {renderText(truncate(path))} <span class="soft">{renderText(truncate(reason))}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="soft">and {formatNumber(more)} more</p>}
    </>
  );
}

const maxRemembered = 100;

/**
 * Files skipped by plans, for the import reports. In memory, because the vault only stores what was imported. If
 * unknown, a report must not claim that there were none.
 */
export class UnrecognizedFilesCache {
  readonly #plans = new Map<string, UnrecognizedFiles>();

  remember(session: OwnerSession, importId: string, { notUnderstood, notUnderstoodCount }: UnrecognizedFiles): void {
    this.#plans.set(getKey(session, importId), { notUnderstood, notUnderstoodCount });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > maxRemembered && oldest !== undefined) this.#plans.delete(oldest);
  }

  find(session: OwnerSession, importId: string): UnrecognizedFiles | undefined {
    return this.#plans.get(getKey(session, importId));
  }
}

const getKey = ({ ownerNo }: OwnerSession, importId: string): string => `${ownerNo} ${importId}`;
