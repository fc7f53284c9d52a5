// Written by hookkit: `cargo xtask install --agent opencode` changes it, and `uninstall --agent opencode` removes it.
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const settings = /* hooks */ {
} /* end of hooks, code DIGEST */;

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

// Runs a hook. It throws if the hook denies, fails, is late or does not answer in JSON.
async function ask({ command, timeout }, payload, cwd) {
  const child = Bun.spawn(["/bin/sh", "-c", command], {
    cwd,
    env: { ...process.env, HOOKKIT_PROJECT_DIR: root },
    stdin: new Blob([JSON.stringify(payload)]),
    stdout: "pipe",
    stderr: "pipe",
  });
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`the hook is late: ${command}`));
    }, timeout * 1000);
  });
  const outputs = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
  const [code, out, err] = await Promise.race([Promise.all([child.exited, ...outputs]), late]);
  clearTimeout(timer);
  if (code !== 0) throw new Error(err.trim() || `the hook failed: ${command}`);
  return out.trim() ? JSON.parse(out) : {};
}

export const Hookkit = async ({ directory }) => {
  const run = async (event, call, args, more, apply) => {
    const payload = {
      hook_event_name: event,
      session_id: call.sessionID,
      cwd: resolve(directory, args?.workdir ?? "."),
      tool_name: call.tool,
      tool_use_id: call.callID,
      tool_input: args,
      ...more,
    };
    for (const { matcher, hooks } of settings.hooks?.[event] ?? []) {
      // Without other characters it is a list of whole names.
      const names = /^[\w|-]+$/.test(matcher) ? `^(?:${matcher})$` : matcher;
      if (matcher && !new RegExp(names).test(call.tool)) continue;
      for (const hook of hooks) apply(await ask(hook, payload, directory));
    }
  };
  return {
    // What is thrown denies the call, and is its result for the model.
    "tool.execute.before": (call, output) =>
      run("tool.execute.before", call, output.args, {}, ({ args }) => {
        if (!args) return;
        for (const key of Object.keys(output.args)) delete output.args[key];
        Object.assign(output.args, args);
      }),
    "tool.execute.after": (call, output) => {
      const add = (text) => (output.output += `\n\n${text}`);
      const apply = (answer) => {
        if (answer.output !== undefined) output.output = answer.output;
        if (answer.context) add(answer.context);
      };
      return run("tool.execute.after", call, call.args, { tool_response: output.output }, apply).catch(
        (error) => void add(error.message),
      );
    },
  };
};
