import { isolateLabel } from "@pdpp/evidence/text/label";
import { buildUrl } from "../frame/addresses.ts";
import type { Html } from "../frame/frame.tsx";
import { renderAgo, renderMinute } from "../frame/render/times.tsx";
import { formatCount } from "../frame/render/values.tsx";
import type { ConnectGuide, ConnectTab } from "./connect-guides.ts";
import { renderCopyLine } from "./copy-line.tsx";

/** Connecting an agent: a command for each, and how far the owner has got. */

/** The progress since the owner began, as far as the server knows. */
export interface Progress {
  /** When the owner began, in epoch milliseconds: only agents connected since then count. */
  readonly since: number;
  readonly asking: string | undefined;
  readonly connected: { readonly client: string; readonly id: string; readonly at: number } | undefined;
  readonly firstRead: { readonly at: number; readonly records: number } | undefined;
}

export interface ConnectView {
  readonly tabs: readonly ConnectTab[];
  readonly selected: string;
  readonly progress: Progress;
  /** Folded to one button once several agents are connected. */
  readonly isFolded: boolean;
  readonly now: number;
}

const getAgentsUrl = (agent: string, since: number): string => buildUrl("/agents", { agent, since });

export const renderConnectCard = (view: ConnectView): Html =>
  view.isFolded ? (
    <details class="connect-fold">
      <summary>
        <span class="button">Connect an agent</span>
      </summary>
      {renderCard(view)}
    </details>
  ) : (
    renderCard(view)
  );

function renderCard({ tabs, selected, progress, now }: ConnectView): Html {
  const tab = tabs.find(({ key }) => key === selected) ?? tabs[0];
  if (tab === undefined) return <></>;
  const [guide, ...others] = tab.guides;
  return (
    <section class="card connect" id="connect" aria-labelledby="connect-title">
      <h2 id="connect-title">Connect an agent</h2>
      <nav class="agent-tabs" aria-label="Agents to connect">
        {tabs.map(({ key, title }) => (
          <a href={`${getAgentsUrl(key, progress.since)}#connect`} aria-current={key === tab.key ? "true" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {guide !== undefined && renderGuide(guide)}
      {renderSteps(tab, progress, now)}
      <div class="folds">
        {guide?.settings !== undefined && (
          <details>
            <summary>Use a settings file instead</summary>
            <p>Add this to {guide.settings.place}</p>
            {renderCopyLine(guide.settings.text, "Copy the settings")}
          </details>
        )}
        {others.map((other) => (
          <details>
            <summary>{other.title}</summary>
            {renderGuide(other)}
          </details>
        ))}
        <a href="/agents/new">Create a token for a script</a>
      </div>
    </section>
  );
}

const renderGuide = ({ title, lead, command, next }: ConnectGuide): Html => (
  <>
    <p>{lead}</p>
    {command !== undefined && renderCopyLine(command, `Copy the command for ${title}`)}
    <p class="soft">{next}</p>
  </>
);

type StepState = "done" | "current" | "later";

interface Step {
  readonly state: StepState;
  readonly title: string;
  readonly note: Html | string;
}

/** The script marks the first step when the command is copied. It fetches this part again until an agent has read. */
function renderSteps({ key, title }: ConnectTab, progress: Progress, now: number): Html {
  const name = key === "other" ? "the agent" : title;
  const steps = listSteps(name, progress, now);
  const isDone = steps.every(({ state }) => state === "done");
  return (
    <div id="steps" data-follow={isDone ? undefined : getAgentsUrl(key, progress.since)}>
      <ol class="connect-steps">
        {steps.map(({ state, title: what, note }, i) => (
          <li class={state} aria-current={state === "current" ? "step" : undefined} data-step={i}>
            <span class="dot" aria-hidden="true"></span>
            <span>
              {what}
              {state === "done" && <span class="hidden"> (done)</span>}
              <small>{note}</small>
            </span>
          </li>
        ))}
      </ol>
      {!isDone && (
        <p class="soft" data-check="">
          <a href={`${getAgentsUrl(key, progress.since)}#connect`}>Check again</a>
        </p>
      )}
    </div>
  );
}

function listSteps(name: string, { asking, connected, firstRead }: Progress, now: number): Step[] {
  const hasAsked = asking !== undefined || connected !== undefined;
  return [
    hasAsked
      ? { state: "done", title: "Command copied", note: "and run" }
      : { state: "current", title: "Copy the command", note: "and run it" },
    hasAsked
      ? { state: "done", title: `${isolateLabel(connected?.client ?? asking ?? "")} asked`, note: "for access" }
      : { state: "later", title: `Waiting for ${name}…`, note: "it opens a page here" },
    connected === undefined
      ? { state: asking === undefined ? "later" : "current", title: "You choose", note: "what it can read" }
      : {
          state: "done",
          title: "Connected",
          note: <a href={`/agents/${connected.id}`}>what it can read</a>,
        },
    firstRead === undefined
      ? { state: connected === undefined ? "later" : "current", title: "First read", note: "shown here" }
      : {
          state: "done",
          title: "First read",
          note: (
            <>
              {formatCount(firstRead.records, "record")},{" "}
              {now - firstRead.at < 86_400_000 ? renderMinute(firstRead.at) : renderAgo(firstRead.at, now)}
            </>
          ),
        },
  ];
}
