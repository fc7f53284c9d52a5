use tempfile::TempDir;

use super::*;

/// A project with a list, and files of these names.
fn project(list: &str, files: &[&str]) -> TempDir {
    let project = tempfile::tempdir().unwrap();
    for file in [super::super::list::FILE].iter().chain(files) {
        let path = project.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    fs::write(project.path().join(super::super::list::FILE), list).unwrap();
    project
}

fn found(project: &TempDir, command: &str) -> Option<Finding> {
    let mut context = Context::default();
    context.cwd = project.path().into();
    context.project_dir = project.path().into();
    let script = hookkit::shell::analyse(command);
    look(&script, &context, || {
        Protected::of(&context, hookkit::Environment::default())
    })
    .unwrap()
}

#[track_caller]
fn all(project: &TempDir, wanted: fn(&Option<Finding>) -> bool, commands: &[&str]) {
    for command in commands {
        let found = found(project, command);
        assert!(wanted(&found), "{command}: {found:?}");
    }
}

fn changes(found: &Option<Finding>) -> bool {
    matches!(found, Some(Finding::Changes(_)))
}

fn may_change(found: &Option<Finding>) -> bool {
    matches!(found, Some(Finding::MayChange(_)))
}

#[test]
fn a_command_that_changes_a_protected_file_is_found() {
    let project = project("/migrations/\n", &["migrations/1.sql", "package.json"]);
    all(
        &project,
        changes,
        &[
            "echo x > Cargo.lock",
            "echo x >> ./Cargo.lock",
            "true &> Cargo.lock",
            "echo x >& Cargo.lock",
            "exec 3<> Cargo.lock",
            "echo x >| Cargo.lock",
            "{ echo a; echo b; } > Cargo.lock",
            "echo x | sudo tee -a Cargo.lock",
            "cp /tmp/new Cargo.lock",
            "cp /tmp/1.sql migrations",
            "cp -t migrations /tmp/1.sql",
            "install --target-directory=migrations/ /tmp/1.sql",
            "mv Cargo.lock /tmp",
            "mv /tmp/new Cargo.lock",
            "rm -rf -- Cargo.lock",
            "rm -r migrations",
            "ln -sf /tmp/x Cargo.lock",
            "sed -i s/a/b/ Cargo.lock",
            "sed -Ei.bak s/a/b/ Cargo.lock",
            "sed -n -i -e s/a/b/ -e p Cargo.lock src/a.rs",
            "perl -pi -e s/a/b/ Cargo.lock",
            "perl -i -pe s/a/b/ src/a.rs Cargo.lock",
            "cd ~ && cd - && rm Cargo.lock",
            "truncate -s 0 Cargo.lock",
            "dd if=/dev/zero of=Cargo.lock",
            "touch Cargo.lock",
            "chmod 600 migrations/1.sql",
            "rm migrations/*.sql",
            "rm \"migrations/$name\"",
            "cd migrations && rm 1.sql",
            "cd \"$dir\" && rm Cargo.lock",
            "cd migrations; cd ..; (cd migrations && touch 2.sql)",
            "bash -c 'rm Cargo.lock'",
            "find . -name x -exec cp {} Cargo.lock \\;",
            "echo '!*' > .claude/protected",
            "rm -rf .claude",
            "rm -rf .",
            "mv .claude old",
            "rm -rf .git",
        ],
    );
}

#[test]
fn a_command_that_changes_none_passes() {
    let project = project(
        "/migrations/\n",
        &["migrations/1.sql", "Cargo.lock", "src/a.rs", "backup/x"],
    );
    all(
        &project,
        Option::is_none,
        &[
            "",
            "cat Cargo.lock migrations/1.sql",
            "cargo update > /dev/null 2>&1",
            "grep -c x < Cargo.lock > count.txt",
            "cp Cargo.lock /tmp/backup",
            "cp Cargo.lock backup",
            "ln -s ../Cargo.lock backup/lock",
            "sed s/a/b/ Cargo.lock",
            "sed -n 1p Cargo.lock",
            "perl -MList::Util -e 1 Cargo.lock",
            "echo 'rm Cargo.lock'",
            "git commit -m 'rm Cargo.lock' && git checkout Cargo.lock",
            "dd if=Cargo.lock of=/tmp/x",
            "rm -rf src target node_modules",
            "for f in src/*.rs; do sed -i s/a/b/ \"$f\"; done",
            "echo x > \"$out\"",
            "rm \"$dir/$name\"",
            "rm src/*",
            "echo x >&2",
            "find . -name '*.tmp' | xargs rm",
            "rm '~'",
            "mv src/a.rs ..",
            "mv src/a.rs /tmp -f",
        ],
    );
}

#[test]
fn a_word_that_is_known_in_part_is_asked_about_where_it_can_be_a_protected_file() {
    let project = project("*.sql\n", &["Cargo.lock", "a/b.sql", "src/a.rs"]);
    all(
        &project,
        may_change,
        &[
            "rm *",
            "rm Cargo.*",
            "rm Cargo.[kl]ock",
            "rm \"Cargo.$end\"",
            "rm {Cargo.toml,Cargo.lock}",
            "touch \"$dir/Cargo.lock\"",
            "echo x > $(pwd)/Cargo.lock",
            "rm a/*",
            "rm */*.sql",
            "rm [a-c]*/b.sql",
            "rm {a,c}/b.sql",
            "cp x \"a/b.$end\"",
        ],
    );
    all(
        &project,
        Option::is_none,
        &["rm src/*", "rm Cargo.t*", "rm \"$dir/a.rs\"", "rm */x"],
    );
}

#[test]
fn what_cannot_be_analysed_is_asked_about_where_it_names_a_protected_file() {
    let project = project("", &[]);
    all(
        &project,
        may_change,
        &["eval \"$x Cargo.lock\"", "if then ./Cargo.lock"],
    );
    all(&project, Option::is_none, &["eval \"$x\"", "$tool --write README.md"]);
}

#[test]
fn a_long_script_is_no_file() {
    let project = project("", &[]);
    let script = "s/a/b/;".repeat(100);
    for command in [
        format!("sed -i '{script}' a.txt"),
        format!("sed -i -e '{script}' a.txt"),
        format!("perl -pi -e '{script}' a.txt"),
    ] {
        assert_eq!(found(&project, &command), None);
    }
}

#[test]
fn what_is_certain_goes_before_what_is_not() {
    let project = project("", &["Cargo.lock"]);
    all(&project, changes, &["rm *; rm yarn.lock"]);
}
