/** Method and path of each operation. All URLs are built from this table. */
export const routes = {
  schema: { name: "schema", method: "GET", path: "/v1/schema" },
  connectors: { name: "connectors", method: "GET", path: "/v1/connectors" },
  streams: { name: "streams", method: "GET", path: "/v1/streams" },
  stream: { name: "stream", method: "GET", path: "/v1/streams/{stream}" },
  queryRecords: { name: "queryRecords", method: "GET", path: "/v1/streams/{stream}/records" },
  fetch: { name: "fetch", method: "GET", path: "/v1/streams/{stream}/records/{record_id}" },
  aggregate: { name: "aggregate", method: "GET", path: "/v1/streams/{stream}/aggregate" },
  search: { name: "search", method: "GET", path: "/v1/search" },
  readField: { name: "readField", method: "GET", path: "/v1/streams/{stream}/records/{record_id}/field-window" },
  readBlob: { name: "readBlob", method: "GET", path: "/v1/blobs/{blob_id}" },
  export: { name: "export", method: "GET", path: "/v1/export" },
  ingest: { name: "ingest", method: "POST", path: "/v1/ingest/{stream}" },
  push: { name: "push", method: "POST", path: "/v1/push/{connection_id}" },
  putBlob: { name: "putBlob", method: "POST", path: "/v1/blobs" },
  deleteRecord: { name: "deleteRecord", method: "DELETE", path: "/v1/streams/{stream}/records/{record_id}" },
  deleteRecords: { name: "deleteRecords", method: "DELETE", path: "/v1/streams/{stream}/records" },
} as const;

export type OperationName = keyof typeof routes;
