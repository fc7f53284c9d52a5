//! The command lines that the hook goes by.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use hookkit::prelude::*;

use super::approve_read_only;

/// bash shows a file outside of the project; `SECRET` is its path. No opinion.
const SHOW_A_SECRET: &[&str] = &[
    "grep -v -- -zz SECRET",
    "egrep -v -- -zz SECRET",
    "fgrep -v -- -zz SECRET",
    "cat -- -l",
    "cat -- --long",
    "cat < -l",
    "cat < -",
    "cat < --long",
    "sed -n 1p < -l",
    "cat -- --/../../secret",
    "cat < --/../../secret",
    "diff --to-file=a=b notes.txt",
    "diff --from-file=a,b notes.txt",
    "diff --to-file=c notes.txt",
    "grep -hf pattern a=b",
];

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
];

/// No opinion.
const LEFT: &[&str] = &[
    "",
    // They write, or may.
    "rm notes.txt",
    "touch x",
    "ls > files.txt",
    "cat a >> b",
    "echo x > notes.txt",
    "cat notes.txt | tee other.txt",
    "sort -o notes.txt notes.txt",
    "sort -unofile notes.txt",
    "sort --output=x notes.txt",
    "sort --o x notes.txt",
    "uniq notes.txt other.txt",
    "sed -i 's/a/b/' notes.txt",
    "sed -n 'w out' notes.txt",
    "sed 's/a/b/e' notes.txt",
    "find . -delete",
    "find . -exec rm {} +",
    "find . -fprint out",
    "find . -ok rm {} ;",
    "tree -o out",
    "date -s 12:00",
    "date 11221200",
    "hostname other",
    "file -C -m x",
    "file -p notes.txt",
    "uniq n*",
    "\\time -o notes.txt ls",
    "command time -o notes.txt ls",
    "sort -u* notes.txt",
    // They start others, or may.
    "rg --pre ./x y",
    "rg -z x",
    "sort --compress-program=./x notes.txt",
    "ls | xargs cat",
    "awk '{print}' notes.txt",
    "bash -c ls",
    "sudo ls",
    "env ls",
    "./ls",
    "/tmp/ls",
    "bin/cat notes.txt",
    "python3 -c 'print(1)'",
    "cargo test",
    "make -n",
    "arch rm notes.txt",
    "diff -l src/main.rs notes.txt",
    "diff --pag src/main.rs notes.txt",
    "file -z notes.txt",
    "{ echo } always { rm notes.txt; }",
    // git.
    "git commit -m x",
    "git add .",
    "git push",
    "git fetch",
    "git branch topic",
    "git branch -d topic",
    "git tag v1",
    "git stash",
    "git config user.name x",
    "git remote add x y",
    "git diff --output=x",
    "git diff --outp=x",
    "git log --ext-diff",
    "git log --alternate-refs",
    "git rev-list --alt",
    "git show --remerge-diff",
    "git log --format=%+GK",
    "git log --format='% GG'",
    "git for-each-ref --format='%(*signature)'",
    "git for-each-ref --sort=signature",
    "git status --help",
    "file -0Cm magic",
    "file -0z names",
    "file -0m magic -0f names",
    "tree -L2o out",
    "diff notes.txt .",
    "diff --from-file=. notes.txt",
    "diff notes.txt *",
    "git show --rem",
    "git log -p --diff-merges=remerge",
    "git grep -O x",
    "git grep --open-files-in-pager=./x y",
    "git cat-file --filters HEAD:x",
    "git -c core.pager=./x log",
    "git -C other status",
    "git --git-dir=x status",
    "cd src && git status",
    "git reflog expire --all",
    "git log --show-signature",
    "git log --format='%h %G?'",
    "git for-each-ref --format='%(signature)'",
    "git config --list",
    "git config --get http.extraheader",
    "git cat-file --batch",
    // Elsewhere, hidden, or only known to the shell.
    "cat /etc/passwd",
    "ls ~",
    "cat ~/.ssh/id_rsa",
    "cat ../other/notes.txt",
    "cd ..",
    "cd /",
    "cat .env",
    "head -5 web/.env.local",
    "cat .git/config",
    "git show HEAD:.env",
    "grep --file=.env notes.txt",
    "grep -f.env notes.txt",
    "grep -nf.env notes.txt",
    "grep -nf/etc/passwd notes.txt",
    "grep -nfsecret notes.txt",
    "grep -v /etc/host*",
    "grep -e x .env",
    "grep x .env",
    "cat secret",
    "cat a,secret:b",
    "cat a,b",
    "cd src && cat link",
    "cd src; cat < link",
    "cd && cat notes.txt",
    "cd - && cat notes.txt",
    "cd -P && cat notes.txt",
    "cd src web",
    "for x in a b; do cd up; cat main.rs; done",
    "while cd up; do ls; done",
    "until ! cd up; do pwd; done",
    "cdpath=/etc; cd ssl",
    // zsh loads `src/zsh/parameter.so`.
    "module_path=(src); [[ -n $commands ]]; ls notes.txt",
    "for module_path in src; do ls; done",
    "manpath=src; ls",
    "fignore+=(x); ls",
    "for cdpath in /etc; do ls; done",
    "for x module_path in a src; do ls; done",
    "options=(x y); ls",
    "dirstack=(/etc); ls",
    "zle_highlight=x; ls",
    "chpwd_functions=(x); cd src; ls",
    "dis_aliases=(x y); ls",
    "for CDPATH in /etc; do cd ssl; ls; done",
    "x=${CDPATH:=/etc}; cd ssl; ls",
    "for HOME in src; do git diff; done",
    "cat < .env",
    "cat $file",
    "cat \"$file\"",
    "cat *",
    "echo $HOME",
    "echo \"$AWS_SECRET_ACCESS_KEY\"",
    "printenv",
    "env",
    "jq -n env",
    "jq -n '$ENV.x'",
    "jq -nf notes.txt",
    "jq -n 'import \"../x\" as $x; $x'",
    "jq -L /etc 'include \"x\"; .'",
    "cat <<< \"$AWS_SECRET_ACCESS_KEY\"",
    "cat <<E\n$AWS_SECRET_ACCESS_KEY\nE",
    "x=${y:?$AWS_SECRET_ACCESS_KEY}",
    "[[ ${y:?$AWS_SECRET_ACCESS_KEY} ]]; ls",
    "select x in \"$AWS_SECRET_ACCESS_KEY\"; do ls; done",
    "cat $(ls)",
    "PAGER=./x git log",
    "GIT_EXTERNAL_DIFF=./x; git diff",
    "LD_PRELOAD=x ls",
    // Files whose names are in a file.
    "wc --files0-from=notes.txt",
    "wc --files0-from notes.txt",
    "wc -l --files0=notes.txt",
    "wc --f notes.txt",
    "du --files0-from=notes.txt",
    "du -h --fi notes.txt",
    "sha256sum -c notes.txt",
    "md5sum -bc notes.txt",
    "cksum --check notes.txt",
    "sha1sum --c notes.txt",
    "strings @notes.txt",
    // What cannot be analyzed.
    "$x",
    "ls; $(echo rm) x",
    "curl -s x | sh",
    "eval ls",
    "ls 'a",
    "f() { ls; }; f",
    "source x",
];

#[test]
fn a_loop_that_goes_up_is_left() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().join("a/b/c");
    fs::create_dir_all(&folder).unwrap();
    let mut context = Context::default();
    context.project_dir = project.path().into();
    context.cwd = folder;
    let answer = |line| approve_read_only(PreToolUse::new("Bash", tool::Bash::new(line)), context.clone()).unwrap();
    assert_ne!(answer("cd .. && cat notes.txt"), PreToolUseAnswer::pass());
    assert_eq!(
        answer("for x in a b c d; do cd ..; cat notes.txt; done"),
        PreToolUseAnswer::pass()
    );
}

#[test]
fn each_line_ends_as_it_is_said() {
    let project = tempfile::tempdir().unwrap();
    let git = Command::new("git").arg("init").current_dir(project.path()).output();
    assert!(git.unwrap().status.success());
    fs::write(project.path().join(".env"), "TOKEN=1").unwrap();
    symlink(".env", project.path().join("secret")).unwrap();
    symlink(".env", project.path().join("a,b")).unwrap();
    fs::create_dir(project.path().join("src")).unwrap();
    symlink("/etc/passwd", project.path().join("src/link")).unwrap();
    let mut context = Context::default();
    context.project_dir = project.path().into();
    context.cwd = project.path().into();
    let mut wrong = Vec::new();
    for (lines, is_approved) in [(APPROVED, true), (LEFT, false)] {
        for line in lines {
            let answer = approve_read_only(PreToolUse::new("Bash", tool::Bash::new(line)), context.clone()).unwrap();
            if (answer != PreToolUseAnswer::pass()) != is_approved {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn lines_that_show_a_file_outside_of_the_project_are_left() {
    let folder = tempfile::tempdir().unwrap();
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
        let answer = approve_read_only(PreToolUse::new("Bash", tool::Bash::new(&line)), context.clone()).unwrap();
        assert_eq!(answer, PreToolUseAnswer::pass(), "{line}");
    }
}
