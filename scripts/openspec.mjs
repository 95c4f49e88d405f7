// The OpenSpec command line with all network access disabled.
process.env.OPENSPEC_TELEMETRY = "0";
process.env.DO_NOT_TRACK = "1";
process.env.OPENSPEC_NO_UPDATE_CHECK = "1";
process.env.OPENSPEC_NO_COMPLETIONS = "1";

await import("../node_modules/@fission-ai/openspec/bin/openspec.js");
