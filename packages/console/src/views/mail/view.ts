import type { FieldWindow } from "@pdpp/contract/wire";
import type { Html, ImpersonatedGrant } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import type { Viewer } from "../../frame/viewer.ts";
import type { AttachedFile } from "../attached-files.ts";
import type { PersonView } from "../person/person-data.ts";
import type { MailMode } from "./addresses.ts";
import type { MailHtml, Thread } from "./load-mail.ts";
import type { MailShape } from "./mail-shape.ts";

/** Everything on the page of a mail. */
export interface MailView {
  readonly id: string;
  readonly q: string | undefined;
  readonly mode: MailMode;
  readonly html: MailHtml | undefined;
  readonly subject: string | undefined;
  readonly sender: string | undefined;
  readonly address: string | undefined;
  readonly recipients: readonly string[];
  readonly copies: readonly string[];
  readonly labels: readonly string[];
  readonly isOwn: boolean;
  readonly at: number | undefined;
  readonly files: readonly AttachedFile[];
  readonly text: FieldWindow | undefined;
  readonly words: readonly string[];
  readonly thread: Thread;
  /** The sender, or whom the owner wrote to. */
  readonly correspondent: PersonView | undefined;
  readonly readers: Html;
  readonly shape: MailShape;
  readonly names: Names;
  readonly timeZone: string;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
  readonly now: number;
}
