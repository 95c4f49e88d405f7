/** The formats in which agents talk to models: as much as a scripted model needs to call one tool. */

export interface Tool {
  readonly name: string;
  readonly namespace?: string;
}

export interface Call extends Tool {
  readonly id: string;
  readonly args: object;
}

type Json = Readonly<Record<string, unknown>>;

interface Wire {
  readonly path: RegExp;
  listTools(body: Json): Tool[];
  /** The results of tools in a request, as the agent wrote them for its model. */
  listResults(body: Json): unknown[];
  /** Events for a stream of server-sent events: name and data. */
  buildReply(
    body: Json,
    reply: Call | string,
    path: string,
  ): readonly (readonly [string | undefined, object | string])[];
}

const asList = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const named = (event: Json): [string, Json] => [String(event.type), event];

const anthropic: Wire = {
  path: /\/messages(\?|$)/,
  listTools: ({ tools }) => asList(tools).map(({ name }) => ({ name: String(name) })),
  listResults: ({ messages }) =>
    asList(messages)
      .flatMap(({ content }) => asList(content))
      .filter(({ type }) => type === "tool_result"),
  buildReply({ model }, reply) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const isText = typeof reply === "string";
    const block = isText ? { type: "text", text: "" } : { type: "tool_use", id: reply.id, name: reply.name, input: {} };
    const delta = isText
      ? { type: "text_delta", text: reply }
      : { type: "input_json_delta", partial_json: JSON.stringify(reply.args) };
    const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null, usage };
    return [
      named({ type: "message_start", message }),
      named({ type: "content_block_start", index: 0, content_block: block }),
      named({ type: "content_block_delta", index: 0, delta }),
      named({ type: "content_block_stop", index: 0 }),
      named({ type: "message_delta", delta: { stop_reason: isText ? "end_turn" : "tool_use" }, usage }),
      named({ type: "message_stop" }),
    ];
  },
};

const responses: Wire = {
  path: /\/responses(\?|$)/,
  listTools: ({ tools }) =>
    asList(tools).flatMap((tool) =>
      tool.type === "namespace"
        ? asList(tool.tools).map(({ name }) => ({ name: String(name), namespace: String(tool.name) }))
        : [{ name: String(tool.name) }],
    ),
  listResults: ({ input }) => asList(input).filter(({ type }) => type === "function_call_output"),
  buildReply({ model }, reply) {
    const item =
      typeof reply === "string"
        ? {
            type: "message",
            id: "msg_1",
            role: "assistant",
            content: [{ type: "output_text", text: reply, annotations: [] }],
          }
        : {
            type: "function_call",
            id: "fc_1",
            call_id: reply.id,
            name: reply.name,
            ...(reply.namespace === undefined ? {} : { namespace: reply.namespace }),
            arguments: JSON.stringify(reply.args),
          };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const response = { id: "resp_1", object: "response", created_at: 1, model, output: [item], usage };
    return [
      named({ type: "response.created", response: { ...response, status: "in_progress", output: [] } }),
      named({ type: "response.output_item.added", output_index: 0, item }),
      named({ type: "response.output_item.done", output_index: 0, item: { ...item, status: "completed" } }),
      named({ type: "response.completed", response: { ...response, status: "completed" } }),
    ];
  },
};

const chat: Wire = {
  path: /\/chat\/completions(\?|$)/,
  listTools: ({ tools }) => asList(tools).map((tool) => ({ name: String((tool.function as Json).name) })),
  listResults: ({ messages }) => asList(messages).filter(({ role }) => role === "tool"),
  buildReply({ model }, reply) {
    const chunk = (delta: object, finish_reason: string | null): [undefined, object] => [
      undefined,
      {
        id: "chat_1",
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason }],
      },
    ];
    if (typeof reply === "string")
      return [chunk({ role: "assistant", content: reply }, null), chunk({}, "stop"), [undefined, "[DONE]"]];
    const call = { name: reply.name, arguments: JSON.stringify(reply.args) };
    const tool_calls = [{ index: 0, id: reply.id, type: "function", function: call }];
    return [
      chunk({ role: "assistant", content: null, tool_calls }, null),
      chunk({}, "tool_calls"),
      [undefined, "[DONE]"],
    ];
  },
};

const gemini: Wire = {
  path: /:(stream)?generateContent/i,
  listTools: ({ tools }) =>
    asList(tools).flatMap(({ functionDeclarations }) =>
      asList(functionDeclarations).map(({ name }) => ({ name: String(name) })),
    ),
  listResults: ({ contents }) =>
    asList(contents)
      .flatMap(({ parts }) => asList(parts))
      .filter(({ functionResponse }) => functionResponse !== undefined),
  buildReply(_, reply) {
    const part =
      typeof reply === "string"
        ? { text: reply }
        : { functionCall: { id: reply.id, name: reply.name, args: reply.args }, thoughtSignature: "c2ln" };
    const candidates = [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [part] } }];
    return [[undefined, { candidates, usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 } }]];
  },
};

const wires: readonly Wire[] = [anthropic, responses, chat, gemini];

export const findWire = (path: string): Wire | undefined => wires.find((wire) => wire.path.test(path));
