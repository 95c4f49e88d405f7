/** The public conformance suite's scenarios for servers, and which of them apply to this one. */

/** A scenario to run. No check may fail, except those listed with the reason why they do not apply. */
export interface Run {
  readonly run: true;
  readonly except?: Readonly<Record<string, string>>;
}

const run: Run = { run: true };
const noPrompts = "prompts are not offered";
const noContent = "results are text and structured content, never pictures, sound or embedded resources";
const noLogging = "log messages are not sent to clients";
const noAsking = "the server asks the client for nothing: no elicitation, sampling or roots";
const noInput = "no tool needs a second round: no result is ever input_required";
const noSubscriptions = "resources cannot be subscribed to";
const noSessions = "2025-era requests are served without sessions";
const noTasks = "the tasks extension is not offered: every call answers at once";
const noSkills = "the skills extension is not offered";

/** Every scenario of either version of the suite: a run, or the reason to skip it. */
export const scenarios: Readonly<Record<string, Run | string>> = {
  "server-initialize": run,
  "server-stateless": {
    run: true,
    except: {
      "sep-2575-server-rejects-undeclared-capability":
        "needs a tool of the suite's own server; ours need no capability",
      "sep-2575-missing-capability-http-400": "needs a tool of the suite's own server; ours need no capability",
    },
  },
  "server-session-lifecycle": noSessions,
  ping: run,
  "dns-rebinding-protection": run,
  "http-header-validation": run,
  "http-custom-header-server-validation": "no tool takes an argument from a header",
  caching: { run: true, except: { "sep-2549-prompts-list-caching-hints": noPrompts } },
  "server-sse-polling": "streams are never cut to be resumed: every call answers at once",
  "server-sse-multiple-streams": { run: true, except: { "server-sse-multiple-streams-session": noSessions } },
  "logging-set-level": noLogging,
  "completion-complete": "completion is not offered",

  "tools-list": run,
  "tools-call-simple-text": run,
  "tools-call-error": run,
  "tools-call-image": noContent,
  "tools-call-audio": noContent,
  "tools-call-embedded-resource": noContent,
  "tools-call-mixed-content": noContent,
  "tools-call-with-logging": noLogging,
  "tools-call-with-progress": "progress is not reported: every call is bounded and short",
  "tools-call-sampling": noAsking,
  "tools-call-elicitation": noAsking,
  "elicitation-sep1034-defaults": noAsking,
  "elicitation-sep1330-enums": noAsking,
  "json-schema-2020-12": "asks for one tool of the suite's own server, with $defs and $ref, which ours must not have",

  "resources-list": run,
  "resources-read-text": run,
  "resources-read-binary": run,
  "resources-templates-read": run,
  "sep-2164-resource-not-found": run,
  "resources-subscribe": noSubscriptions,
  "resources-unsubscribe": noSubscriptions,

  "prompts-list": noPrompts,
  "prompts-get-simple": noPrompts,
  "prompts-get-with-args": noPrompts,
  "prompts-get-embedded-resource": noPrompts,
  "prompts-get-with-image": noPrompts,

  "sep-2640-skills-directory": noSkills,
  "sep-2640-skills-enumeration": noSkills,
  "sep-2640-skills-manifest": noSkills,

  "tasks-lifecycle": noTasks,
  "tasks-capability-negotiation": noTasks,
  "tasks-wire-fields": noTasks,
  "tasks-request-state-removal": noTasks,
  "tasks-mrtr-input": noTasks,
  "tasks-request-headers": noTasks,
  "tasks-dispatch-and-envelope": noTasks,
  "tasks-status-notifications": noTasks,
  "tasks-required-task-error": noTasks,
  "tasks-mrtr-composition": noTasks,

  "input-required-result-unsupported-methods": run,
  "input-required-result-ignore-extra-params": noInput,
  "input-required-result-basic-elicitation": noInput,
  "input-required-result-basic-sampling": noInput,
  "input-required-result-basic-list-roots": noInput,
  "input-required-result-request-state": noInput,
  "input-required-result-multiple-input-requests": noInput,
  "input-required-result-multi-round": noInput,
  "input-required-result-missing-input-response": noInput,
  "input-required-result-non-tool-request": noInput,
  "input-required-result-result-type": noInput,
  "input-required-result-tampered-state": noInput,
  "input-required-result-capability-check": noInput,
  "input-required-result-validate-input": noInput,
};
