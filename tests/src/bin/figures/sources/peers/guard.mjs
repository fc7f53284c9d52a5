// `no_recursive_rm` with cc-hooks-ts.
import { defineHook, runHook } from "cc-hooks-ts";

await runHook(
  defineHook({
    trigger: { PreToolUse: { Bash: true } },
    run: (call) =>
      call.input.tool_input.command.includes("rm -rf")
        ? call.blockingError("delete single files instead")
        : call.success(),
  }),
);
