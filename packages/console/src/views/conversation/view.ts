import type { SingleCard } from "@pdpp/contract/wire";
import type { Html, ImpersonatedGrant } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import type { Viewer } from "../../frame/viewer.ts";
import type { ConversationCounts } from "./conversation-counts.ts";
import type { TurnPage } from "./load-turns.ts";
import type { Matches } from "./matches.ts";
import type { RepliedTurn } from "./replied-turns.ts";
import type { ConversationShape } from "./shape.ts";

/** Everything on the page of a conversation. */
export interface ConversationView {
  readonly id: string;
  readonly q: string | undefined;
  /** The month that the page starts with, if any. */
  readonly month: string | undefined;
  readonly shape: ConversationShape;
  readonly page: TurnPage;
  /** Set on a page of earlier or later turns only. */
  readonly direction: "earlier" | "later" | undefined;
  /** Whether the newest turn is on the page. */
  readonly isEnd: boolean;
  /** The turn to outline and scroll to. */
  readonly openedId: string | undefined;
  readonly head: SingleCard | undefined;
  readonly conversation: string | undefined;
  readonly matches: Matches;
  readonly replied: ReadonlyMap<string, RepliedTurn>;
  readonly counts: ConversationCounts | undefined;
  readonly readers: Html | undefined;
  readonly names: Names;
  readonly timeZone: string;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}
