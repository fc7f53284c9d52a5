#!/usr/bin/env node
// `path_only` in JavaScript, with Node's own modules.
import { readFileSync } from "node:fs";

const payload = JSON.parse(readFileSync(0, "utf8"));
if (["Edit", "Write"].includes(payload.tool_name) && payload.tool_input.file_path.endsWith(".rs")) {
  const answer = {
    hookEventName: payload.hook_event_name,
    additionalContext: "remember to run the tests",
  };
  console.log(JSON.stringify({ hookSpecificOutput: answer }));
}
