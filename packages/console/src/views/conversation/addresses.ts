import { buildUrl } from "../../frame/addresses.ts";

/** The URL of a conversation, opened at one of its turns. */

export const matchAnchor = "match";

export interface ConversationQuestion {
  /** A turn, or the record of the conversation. */
  readonly id: string;
  readonly q?: string | undefined;
  readonly earlier?: string | undefined;
  readonly later?: string | undefined;
  /** A month, such as 2026-11. */
  readonly month?: string | undefined;
  /** The turn is only where the page starts, and is not outlined. */
  readonly isStart?: boolean | undefined;
}

export const getConversationUrl = ({ id, q, earlier, later, month, isStart }: ConversationQuestion): string =>
  buildUrl("conversation", { id, q, earlier, later, month, start: isStart ? "1" : undefined });

export const getTurnUrl = (id: string, q?: string): string => `${getConversationUrl({ id, q })}#${matchAnchor}`;

export const getConversationsUrl = (source: string, stream: string, cursor?: string): string =>
  buildUrl("conversation", { source, stream, cursor });
