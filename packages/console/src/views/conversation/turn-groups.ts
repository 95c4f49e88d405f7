import type { Turn } from "./turn.ts";

/** Turns by day, and within a day by sender, so that a name is shown once. */

export interface TurnGroup {
  readonly sender: string | undefined;
  readonly isOwn: boolean;
  readonly isGenerated: boolean;
  readonly turns: readonly Turn[];
}

export interface TurnDay {
  readonly day: string;
  readonly groups: readonly TurnGroup[];
}

/** A longer pause starts a new group, which shows its time. */
const maxPauseMs = 20 * 60_000;

export function groupTurns(turns: readonly Turn[]): TurnDay[] {
  const days: { day: string; groups: { first: Turn; turns: Turn[] }[] }[] = [];
  for (const turn of turns) {
    let today = days.at(-1);
    if (today?.day !== turn.day) {
      today = { day: turn.day, groups: [] };
      days.push(today);
    }
    const group = today.groups.at(-1);
    const last = group?.turns.at(-1);
    if (group !== undefined && last !== undefined && continuesGroup(last, turn)) group.turns.push(turn);
    else today.groups.push({ first: turn, turns: [turn] });
  }
  return days.map(({ day, groups }) => ({
    day,
    groups: groups.map(({ first: { sender, isOwn, isGenerated }, turns }) => ({ sender, isOwn, isGenerated, turns })),
  }));
}

const continuesGroup = (last: Turn, turn: Turn): boolean =>
  last.sender === turn.sender &&
  last.isOwn === turn.isOwn &&
  last.isGenerated === turn.isGenerated &&
  turn.at - last.at <= maxPauseMs;
