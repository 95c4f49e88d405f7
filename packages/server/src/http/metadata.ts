import type { JsonObject } from "@pdpp/contract/declaration";
import { iconPath } from "@pdpp/contract/icon";

export const metadataPath = "/.well-known/oauth-protected-resource";

export const mcpPath = "/mcp";

export const formatIconLink = (origin: string): string => `<${origin}${iconPath}>; rel="icon"; type="image/svg+xml"`;

export function buildDiscoveryIndex(origin: string): JsonObject {
  return {
    object: "pdpp_discovery_index",
    role: "resource_server",
    resource_name: "pdpp",
    links: {
      well_known: `${origin}${metadataPath}`,
      schema: `${origin}/v1/schema`,
      core_query_base: `${origin}/v1`,
      connectors: `${origin}/v1/connectors`,
      openapi: `${origin}/v1/openapi.json`,
      mcp: `${origin}${mcpPath}`,
    },
  };
}

export function buildResourceMetadata(origin: string): JsonObject {
  return {
    resource: origin,
    resource_name: "pdpp",
    authorization_servers: [origin],
    scopes_supported: ["pdpp:read"],
    bearer_methods_supported: ["header"],
    pdpp_core_query_base: `${origin}/v1`,
    pdpp_self_export_supported: true,
    pdpp_token_kinds_supported: ["owner", "client", "mcp_package"],
    pdpp_discovery_hints: {
      schema_endpoint: `${origin}/v1/schema`,
      query_base: `${origin}/v1`,
      connectors_endpoint: `${origin}/v1/connectors`,
      streams_endpoint_template: `${origin}/v1/streams/{stream}`,
      aggregate: { endpoint_template: `${origin}/v1/streams/{stream}/aggregate` },
      changes_since_bootstrap: "beginning",
      blob_indirection: "data.blob_ref.fetch_url",
      search: { endpoint: `${origin}/v1/search`, scope_param: "streams[]", filter_requires_single_stream: true },
    },
    pdpp_agent_discovery: {
      advisory: true,
      recommended_flow: "pdpp connect",
      cli: { bin_name: "pdpp", run_command: `pdpp connect ${origin}`, no_owner_token: true },
      mcp: {
        endpoint: `${origin}${mcpPath}`,
        transport: "streamable_http",
        tool_surface: "profile_free_normal_read",
        setup_intent: "grant_scoped_read",
        no_owner_token: true,
        authorization: {
          authorization_servers: [origin],
          resource_metadata: `${origin}${metadataPath}${mcpPath}`,
        },
      },
    },
    capabilities: {
      // Our additions to the public protocol: cards, documents, located passages, windows of one version, export.
      evidence: { supported: true },
      lexical_retrieval: {
        supported: true,
        endpoint: `${origin}/v1/search`,
        cross_stream: true,
        snippets: true,
        default_limit: 25,
        max_limit: 100,
        cursor_supported: true,
        count_supported: true,
        score: { supported: true, kind: "bm25", order: "higher_is_better", value_semantics: "implementation_relative" },
      },
    },
  };
}

export const buildMcpMetadata = (origin: string): JsonObject => ({
  ...buildResourceMetadata(origin),
  resource: `${origin}${mcpPath}`,
  pdpp_token_kinds_supported: ["client", "mcp_package"],
});
