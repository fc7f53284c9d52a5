"""`no_recursive_rm` with cchooks."""
from cchooks import create_context

call = create_context()
if call.tool_name == "Bash" and "rm -rf" in call.tool_input["command"]:
    call.output.deny("delete single files instead")
