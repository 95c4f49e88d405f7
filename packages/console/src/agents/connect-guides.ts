import { type AgentKey, chatGpt, formatAddCommand, type KnownAgent, knownAgents } from "@pdpp/agent-setup/known-agents";
import { isLoopback, isPublicUrl } from "@pdpp/agent-setup/loopback";
import { formatConfig } from "./setup-guides.tsx";

/** How to connect each agent to this server: one tab each, the rest under "Other". */

export interface ConnectGuide {
  readonly title: string;
  /** Explains where to run the command. */
  readonly lead: string;
  readonly command?: string;
  /** Explains the step after that. */
  readonly next: string;
  /** The same by hand. */
  readonly settings?: { readonly place: string; readonly text: string };
}

export interface ConnectTab {
  readonly key: string;
  readonly title: string;
  readonly guides: readonly ConnectGuide[];
}

const tabs: readonly AgentKey[] = ["claude-code", "claude-desktop", "codex", "gemini-cli", "cursor", "vscode"];

export function listConnectTabs(origin: string): ConnectTab[] {
  const describe = (agent: KnownAgent): ConnectGuide => describeAgent(agent, origin);
  const own = tabs.flatMap((key) => knownAgents.filter((agent) => agent.key === key));
  const others = knownAgents.filter((agent) => !own.includes(agent));
  const address: ConnectGuide = {
    title: "Any other agent",
    lead: "Give the agent this address:",
    command: `${origin}/mcp`,
    next: "It opens a page here, where you choose what it can read.",
  };
  return [
    ...own.map((agent) => ({ key: agent.key, title: agent.title, guides: [describe(agent)] })),
    { key: "chatgpt", title: chatGpt.title, guides: [describeChatGpt(origin)] },
    { key: "other", title: "Other", guides: [address, ...others.map(describe)] },
  ];
}

function describeAgent(agent: KnownAgent, origin: string): ConnectGuide {
  const { title, place, hosted, check } = agent;
  return {
    title,
    lead: `Run this in a terminal on ${isLoopback(origin) ? "this computer" : "the agent's computer"}:`,
    command: formatAddCommand(agent, origin),
    next:
      hosted === undefined
        ? `A page opens here, where you choose what it can read. Then ${check}.`
        : `Then sign in: ${hosted.signIn}. A page opens here, where you choose what it can read.`,
    ...(hosted === undefined ? {} : { settings: { place, text: formatConfig(agent, hosted.entry(`${origin}/mcp`)) } }),
  };
}

const describeChatGpt = (origin: string): ConnectGuide =>
  isPublicUrl(origin)
    ? {
        title: chatGpt.title,
        lead: "Copy this address:",
        command: `${origin}/mcp`,
        next: `In ChatGPT: ${chatGpt.steps}.`,
      }
    : {
        title: chatGpt.title,
        lead: `ChatGPT needs ${chatGpt.needs}, and this server has none.`,
        next: "Start the server with pdpp serve --public-url https://your.name.",
      };
