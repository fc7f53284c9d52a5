use hookkit::prelude::*;
use hookkit_permission::read_only::{Approved, approve_read_only};
#[test]
fn scratch() {
    let Ok(file) = std::env::var("LINES_FILE") else { return };
    let mut out = String::new();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let (mark, line) = line.split_once('\t').unwrap_or(("", line));
        let mut context = Context::default();
        context.project_dir = "/tmp/xA/P".into();
        context.cwd = "/tmp/xA/P".into();
        let call = PreToolUse::new("Bash", tool::Bash::new(&line.replace('␊', "\n")));
        let yes = matches!(approve_read_only(call, context, Config(Approved::default())), Ok(answer) if answer != PreToolUseAnswer::pass());
        out += &format!("{}\t{mark}\t{line}\n", if yes { '+' } else { '-' });
    }
    std::fs::write("/tmp/xA/out.txt", out).unwrap();
}
