//! The command lines that the hook goes by.

mod left;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use hookkit::prelude::*;

use super::{Approved, Level, approve_read_only};
use left::{LEFT, NEVER, SHOW_A_SECRET};

/// Let through.
const APPROVED: &[&str] = &[
    "ls",
    "ls -la src",
    "pwd",
    "cat README.md",
    "cat README.md | head -n 20",
    "head -50 src/main.rs && wc -l src/*.rs",
    "tail -n +10 notes.txt",
    "grep -rn 'fn main' src",
    "grep -n '/.well-known' src/main.rs",
    "grep -c x notes.txt || true",
    "rg -n --type rust 'fn main'",
    "find . -name 'a*.rs' -type f",
    "find src -maxdepth 2 -mtime -1 -print",
    "find é",
    "find é -name 'ü*'",
    "sed -n '1,20p' src/main.rs",
    "sed -n '5p;$p' notes.txt",
    "sort -u notes.txt | uniq -c | sort -rn",
    "sort -t, -k2 notes.txt",
    "grep -n -- '-> x' notes.txt",
    "diff src/main.rs notes.txt",
    "jq '.version' package.json",
    "git status",
    "git status --short",
    "git log --oneline -n 5",
    "git --no-pager log --stat",
    "git diff HEAD~1 -- src/main.rs",
    "git show HEAD:README.md",
    "git blame -L 1,5 src/main.rs",
    "git branch",
    "git branch -vv --all",
    "git branch --list 'x*'",
    "git rev-parse --abbrev-ref HEAD",
    "git tag -l",
    "git remote -v",
    "git stash list",
    "git config --get user.name",
    "git ls-files | wc -l",
    "cd src && ls",
    "cd src && grep -n 'for' main.rs; ls",
    "(cd src; pwd)",
    "echo hello; echo \"$(git rev-parse HEAD)\"",
    "x=$(pwd); ls",
    "ls 2>/dev/null",
    "ls > /dev/null 2>&1",
    "cat <<'E'\ntext\nE",
    "timeout 5 grep x notes.txt",
    "time ls",
    "command -v cargo",
    "which cargo",
    "[ -f notes.txt ] && cat notes.txt",
    "if test -f notes.txt; then wc notes.txt; fi",
    "date +%s",
    "uname -a",
    "cd src && cat main.rs",
    "for x in a b; do ls; done",
    "x=(a b); ls",
    "paths=(a b); file=x; for line in a; do ls; done",
    "uniq notes.txt",
    "diff -u src/main.rs notes.txt",
    "jq -r --indent 2 . package.json",
    "cat <<E\n$(pwd)\nE",
    "grep -An5 x notes.txt",
    "git log -Sfn --format=%h",
    "git config --get core.editor",
    "arch",
    "wc --lines notes.txt",
    "du -sh --max-depth=1 src",
    "sha256sum -b notes.txt",
    "cksum -a sha256 --tag -- notes.txt",
    "strings -n 8 notes.txt",
    "ls *.txt",
    "cat * | wc -l",
    "date -d yesterday +%F",
    "node -v",
    "jq '.environment' package.json",
    "jq -r --arg x y '.[$x]' package.json",
    "git config user.name",
    "systemctl --failed",
    "kubectl get pods -owide",
    "awk '{print $1 \" | \" $2}' notes.txt",
    "sed -e 's/[[:space:]]*$//' notes.txt",
    // Programs in other languages.
    "awk '{print $1}' notes.txt",
    "awk -F: -v n=3 'NR > n && /a|b/ {s += $2} END {print s}' notes.txt",
    "sed 's/a/b/g; /^#/d' notes.txt",
    "sed -n '/start/,/end/p' notes.txt",
    "sed -E -e 's|/usr|/opt|' -e '$!N' notes.txt",
    "sed ':a;N;$!ba;s/\\n/ /g' notes.txt",
    "sed 's,[^/]*$,,' notes.txt | sed 's/[]x]/-/'",
    "yq '.key' notes.yaml",
    // What they run is looked at by itself.
    "bash -c ls",
    "sh -ec 'cat notes.txt | wc -l'",
    "bash -euo pipefail -c 'git log | head'",
    "find src -name '*.rs' -exec wc -l {} +",
    "find . -type f -exec grep -l main {} \\;",
    "find . -path ./.git -prune -o -name '*.rs' -print",
    "find src -print0 | xargs -0 grep -n main",
    "git ls-files -z | xargs -0 cat | head",
    "fd -e rs -t f main src",
    // Archives, encodings and the machine.
    "tar -tzf a.tar.gz",
    "unzip -l a.zip",
    "gzip -dc a.gz | head",
    "xz -l a.xz",
    "zstd -dc a.zst",
    "base64 -d notes.txt",
    "xxd -l 64 notes.txt",
    "iconv -f utf-16 -t utf-8 notes.txt",
    "openssl x509 -noout -text -in cert.pem",
    "ps aux | grep cargo",
    "ps -eo pid,cmd --sort=-pid",
    "ss -tlnp",
    "systemctl status nginx --no-pager",
    "journalctl -u nginx -n 50 --no-pager",
    "ip -4 addr show eth0",
    "sysctl -n kernel.hostname",
    // Services.
    "aws --region eu-1 ec2 describe-instances --filters Name=tag:Name,Values=x",
    "aws logs get-log-events --log-group-name /aws/lambda/x --log-stream-name y",
    "az network vnet subnet list -g x --vnet-name y --output table",
    "gcloud --project p compute instances describe my-vm --zone z",
    "kubectl -n kube-system get pods -o wide",
    "kubectl logs -f deploy/x --tail=100",
    "docker ps -a && docker logs -f --tail 20 web",
    "helm list -A",
    "gh pr view 12 --json title --jq .title",
    "gh run list --limit 5",
    "npm ls --depth=0 && npm view lodash version",
    "pip show requests",
    "brew info wget",
    "kubectl delete --help",
    "node --version",
    "git branch -r --sort=-committerdate",
    "git fsck --full",
    "git hash-object notes.txt",
    "git symbolic-ref --short HEAD",
    "git tag --contains HEAD",
    "find . -perm /644",
    "gzip --version",
];

/// Let through at the level `build`, and at no lower one.
const BUILD: &[&str] = &[
    "cargo test --workspace -- --nocapture",
    "cargo clippy --all-targets -- -D warnings",
    "cargo check && cargo fmt --check",
    "npm test",
    "npm run lint",
    "npx tsc --noEmit",
    "pnpm run test:unit",
    "go test ./...",
    "make -j8 test",
    "pytest -x tests/test_a.py::test_b",
    "python3 -m pytest -q",
    "uv run pytest",
    "ruff check src",
    "./gradlew test",
    "terraform plan",
    "docker compose -f compose.yaml ps",
];

/// Let through at the level `edit-project`, and at no lower one.
const EDIT: &[&str] = &[
    "mkdir -p src/a && touch src/a/b.rs", "cp notes.txt src/", "mv notes.txt other.txt", "echo x > notes.txt",
    "ls >> src/files.txt 2>&1", "git log | tee log.txt", "sed -i 's/a/b/' notes.txt", "cargo fmt",
    "cargo test > log.txt 2>&1", "make test | tee log.txt", "touch src/a.rs && git add src/a.rs",
    "ruff check --fix src", "git add -A",
];

fn answer(line: &str, context: &Context, level: Level) -> PreToolUseAnswer {
    let call = PreToolUse::new("Bash", tool::Bash::new(line));
    approve_read_only(call, context.clone(), Config(Approved { level })).unwrap()
}

#[test]
fn a_loop_that_goes_up_is_left() {
    let project = test_support::folder();
    let folder = project.path().join("a/b/c");
    fs::create_dir_all(&folder).unwrap();
    let mut context = Context::default();
    context.project_dir = project.path().into();
    context.cwd = folder;
    let answer = |line| answer(line, &context, Level::Read);
    assert_ne!(answer("cd .. && cat notes.txt"), PreToolUseAnswer::pass());
    assert_eq!(
        answer("for x in a b c d; do cd ..; cat notes.txt; done"),
        PreToolUseAnswer::pass()
    );
}

#[test]
fn each_line_ends_as_it_is_said() {
    let project = test_support::folder();
    test_support::git(&project, &["init"]);
    fs::write(project.path().join(".env"), "TOKEN=1").unwrap();
    symlink(".env", project.path().join("secret")).unwrap();
    symlink(".env", project.path().join("a,b")).unwrap();
    fs::create_dir(project.path().join("src")).unwrap();
    symlink("/etc/passwd", project.path().join("src/link")).unwrap();
    fs::write(project.path().join("notes.txt"), "notes").unwrap();
    fs::create_dir(project.path().join("-dir")).unwrap();
    fs::create_dir(project.path().join("links")).unwrap();
    symlink("/etc/passwd", project.path().join("links/notes.txt")).unwrap();
    fs::create_dir_all(project.path().join("node_modules/.bin")).unwrap();
    fs::write(project.path().join("node_modules/.bin/tsc"), "").unwrap();
    let mut context = Context::default();
    context.project_dir = project.path().into();
    context.cwd = project.path().into();
    let mut wrong = Vec::new();
    let levels = [Level::Read, Level::Build, Level::EditProject];
    for (lines, lowest) in [
        (APPROVED, Some(Level::Read)),
        (BUILD, Some(Level::Build)),
        (EDIT, Some(Level::EditProject)),
        (NEVER, None),
    ] {
        for (line, level) in lines.iter().flat_map(|line| levels.map(|level| (line, level))) {
            let is_approved = answer(line, &context, level) != PreToolUseAnswer::pass();
            if is_approved != lowest.is_some_and(|lowest| level >= lowest) {
                wrong.push((level, *line));
            }
        }
    }
    let left = LEFT
        .iter()
        .filter(|line| answer(line, &context, Level::Read) != PreToolUseAnswer::pass());
    wrong.extend(left.map(|line| (Level::Read, *line)));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn settings_of_the_project_by_which_a_program_asks_another_server_are_seen() {
    let project = test_support::folder();
    fs::create_dir(project.path().join("src")).unwrap();
    let mut context = Context::default();
    context.project_dir = project.path().into();
    context.cwd = project.path().join("src");
    let line = "npm view lodash";
    assert_ne!(answer(line, &context, Level::Read), PreToolUseAnswer::pass());
    fs::write(
        project.path().join(".npmrc"),
        "registry=https://x\n//x/:_authToken=${TOKEN}\n",
    )
    .unwrap();
    assert_eq!(answer(line, &context, Level::Read), PreToolUseAnswer::pass());
}

#[test]
fn lines_that_show_a_file_outside_of_the_project_are_left() {
    let folder = test_support::folder();
    let secret = folder.path().canonicalize().unwrap().join("secret");
    fs::write(&secret, "canary\n").unwrap();
    let project = folder.path().canonicalize().unwrap().join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("notes.txt"), "notes\n").unwrap();
    fs::write(project.join("pattern"), "canary\n").unwrap();
    fs::create_dir(project.join("--")).unwrap();
    for link in ["-", "-l", "--long", "a=b", "a,b", "c"] {
        symlink(&secret, project.join(link)).unwrap();
    }
    let mut context = Context::default();
    context.project_dir = project.clone();
    context.cwd = project.clone();
    for line in SHOW_A_SECRET {
        let line = line.replace("SECRET", secret.to_str().unwrap());
        let shown = Command::new("bash")
            .args(["-c", &line])
            .current_dir(&project)
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.contains("canary"), "bash shows it: {line}: {shown}");
        assert_eq!(answer(&line, &context, Level::Read), PreToolUseAnswer::pass(), "{line}");
    }
}
