use tempfile::TempDir;

use super::*;
use test_support::lines;

/// A project with a list, and files of these names.
fn project(list: &str, files: &[&str]) -> TempDir {
    let project = test_support::folder();
    for file in [super::super::list::FILE].iter().chain(files) {
        let path = project.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    fs::write(project.path().join(super::super::list::FILE), list).unwrap();
    project
}

fn found(project: &TempDir, command: &str) -> Option<Effect> {
    let mut context = Context::default();
    context.cwd = project.path().into();
    context.project_dir = project.path().into();
    let script = hookkit::shell::analyze(command);
    look(&script, &context, || {
        Protected::of(&context, hookkit::Environment::default(), &[])
    })
    .unwrap()
}

#[track_caller]
fn all(project: &TempDir, wanted: fn(&Option<Effect>) -> bool, commands: &[&str]) {
    for command in commands {
        let found = found(project, command);
        assert!(wanted(&found), "{command}: {found:?}");
    }
}

fn changes(found: &Option<Effect>) -> bool {
    matches!(found, Some(Effect::Changes(_)))
}

fn may_change(found: &Option<Effect>) -> bool {
    matches!(found, Some(Effect::MayChange(_)))
}

#[cfg(unix)]
#[test]
fn the_documentation_says_what_is_not_seen() {
    let limits = include_str!("../../../limits/protect-files.md");
    let project = project("", &["package.json"]);
    for line in lines::of_table(limits, lines::NOT_SEEN) {
        assert_eq!(found(&project, &line), None, "{line}");
    }
}

#[cfg(unix)]
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
            "curl -so Cargo.lock https://example.com/x",
            "curl https://example.com/x --output=Cargo.lock",
            "wget -qO Cargo.lock https://example.com/x",
            "rsync -avP /tmp/new/ Cargo.lock",
            "scp -P 22 host:new Cargo.lock",
            "tar -xf x.tar -C .git",
            "tar xzf x.tgz --directory=.git/hooks",
            "unzip -o x.zip -d .git",
            "curl -sSLO https://example.com/a/Cargo.lock?raw=1",
            "curl --output-dir=migrations -o 2.sql https://example.com/x",
            "wget -q https://example.com/Cargo.lock",
            "wget -P migrations https://example.com/2.sql",
            "http --download https://example.com/Cargo.lock",
            "sort -uo Cargo.lock Cargo.lock",
            "jq . package-lock.json | sponge package-lock.json",
            "zip -qm x.zip a Cargo.lock",
            "zip Cargo.lock a",
            "zip -P pw Cargo.lock a",
            "tar -Izcat -xf x.tar -C .git",
            "tar xfC x.tar .git",
            "tar cbf 20 Cargo.lock a",
            "curl -O --url=https://example.com/Cargo.lock",
            "curl -D Cargo.lock https://example.com/x",
            "wget \"https://example.com/Cargo.lock?t=$T\"",
            "wget -a Cargo.lock https://example.com/x",
            "perl -gpi -e s/a/b/ Cargo.lock",
            "gtee Cargo.lock",
            "qemu-img create -f raw Cargo.lock 10G",
            "7z a x.7z Cargo.lock -sdel",
            "rar m x.rar Cargo.lock",
            "tar czf x.tgz --remove-files a Cargo.lock",
            "tar -cf Cargo.lock a",
            "rsync -a --remove-source-files Cargo.lock host:",
            "gmv Cargo.lock x",
            "dc3dd if=x of=Cargo.lock",
            "qemu-img convert x Cargo.lock",
            ": > Cargo.lock",
            "7z x x.7z -o.git",
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

#[cfg(unix)]
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
            "curl -o x.json https://example.com/x",
            "curl -O https://example.com/Cargo.lock.txt",
            "wget -P out https://example.com/x",
            "tar xf x.tar -C build",
            "tar czf x.tgz Cargo.lock .git",
            "tar -C .git -cf x.tar .",
            "curl -XPOST https://example.com/Cargo.lock",
            "curl -o x https://example.com/Cargo.lock",
            "wget -P /tmp https://example.com/Cargo.lock",
            "wget -O- https://example.com/Cargo.lock",
            "http https://example.com/Cargo.lock",
            "sort -u Cargo.lock",
            "zip x.zip Cargo.lock",
            "zip -T Cargo.lock",
            "zip -q - Cargo.lock",
            "zip -r - .git > /tmp/x.zip",
            "tar czf - .git | cat",
            "tar cf - package-lock.json node_modules | docker cp - c:/app",
            "rar t Cargo.lock",
            "qemu-img check Cargo.lock",
            "wget --spider https://example.com/Cargo.lock",
            "wget -nc https://example.com/Cargo.lock",
            "rsync -n --remove-source-files Cargo.lock x",
            "7z a x.7z Cargo.lock",
            "rar a x.rar Cargo.lock",
            "rar",
            "qemu-img info Cargo.lock",
            "unzip x.zip -d out",
            "7z x x.7z -oout",
            "rsync -a src/ host:dst/",
            "scp Cargo.lock host:x",
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
            "rm *", "rm Cargo.*", "rm Cargo.[kl]ock", "rm \"Cargo.$end\"", "touch \"$dir/Cargo.lock\"",
            "echo x > $(pwd)/Cargo.lock", "rm a/*", "rm */*.sql", "rm [a-c]*/b.sql", "cp x \"a/b.$end\"",
        ],
    );
    all(
        &project,
        Option::is_none,
        &["rm src/*", "rm Cargo.t*", "rm \"$dir/a.rs\"", "rm */x"],
    );
}

#[test]
fn what_cannot_be_analyzed_is_asked_about_where_it_names_a_protected_file() {
    let project = project("", &[]);
    all(
        &project,
        may_change,
        &["eval \"$x Cargo.lock\"", "if then ./Cargo.lock"],
    );
    all(&project, Option::is_none, &["eval \"$x\"", "$tool --write README.md"]);
}

#[test]
fn a_long_script_is_not_a_file() {
    let project = project("", &[]);
    let script = "s/a/b/;".repeat(100);
    for command in [
        format!("sed -i '{script}' a.txt"),
        format!("sed -i -e '{script}' a.txt"),
        format!("sed 's/ w {script}/' a.txt"),
        format!("perl -pi -e '{script}' a.txt"),
    ] {
        assert_eq!(found(&project, &command), None);
    }
}

#[cfg(unix)]
#[test]
fn a_path_that_is_longer_than_the_kernel_opens_is_an_error() {
    let project = project("", &["Cargo.lock"]);
    let mut context = Context::default();
    context.cwd = project.path().into();
    let (marks, name) = ("*".repeat(100_000), "f".repeat(100_000));
    let command = format!("sed -i'{marks}' s/a/b/ {name}");
    let look = look(&hookkit::shell::analyze(&command), &context, || {
        Protected::of(&context, hookkit::Environment::default(), &[])
    });
    let err = look.unwrap_err().to_string();
    assert!(err.contains("File name too long"), "{err}");
    let root = "/proc/self/root".repeat(100);
    let inside = format!("rm {root}{}/Cargo.lock", project.path().display());
    assert!(found(&project, &inside).is_some());
}

#[test]
fn what_is_certain_goes_before_what_is_not() {
    let project = project("", &["Cargo.lock"]);
    all(&project, changes, &["rm *; rm yarn.lock"]);
}

#[test]
fn braces_become_the_words_that_the_shell_makes_of_them() {
    let project = project("", &["Cargo.lock", "dist/x", ".git/x", ".claude/hookkit/x"]);
    all(
        &project,
        changes,
        &[
            "rm {Cargo.toml,Cargo.lock}", "rm {x,.claude}/protected", "rm x/{y,../.claude/hookkit/x}",
            "cp Cargo.lock{.bak,}", "cp x{,} Cargo.lock", "mv Cargo.lock{,.old}", "rm C{x,a{y,rgo}}.lock",
            "rm C{$a,argo}.lock", "\"rm\" \"C\"{x,argo}.lock", "{rm,-f,Cargo.lock}", "echo x > Cargo.{lock,}",
        ],
    );
    all(
        &project,
        may_change,
        &[
            "rm .claude/{x,'}'/../protected}", "rm C{a..z}rgo.lock", "rm Cargo.loc{k..k}", "rm C{$a,argo}.l{o..o}ck",
        ],
    );
    all(
        &project,
        Option::is_none,
        &[
            "rm -rf {build,dist}", "rm -rf {dist,.cache}", "cp Cargo.lock{,.bak}", "touch src/{a,b}.rs", "rm x{1..3}",
            "rm {,} {}",
        ],
    );
}

#[test]
fn more_words_of_braces_than_are_made_are_names_that_are_not_known() {
    let project = project("", &["Cargo.lock"]);
    let braces = "{a,C}".repeat(20);
    all(
        &project,
        may_change,
        &[
            &format!("rm {braces}argo.lock"),
            &format!("rm {{x{braces},Cargo.lock}}"),
        ],
    );
    let nested = format!("rm {}Cargo.lock{}", "{a,".repeat(5000), "}".repeat(5000));
    all(&project, may_change, &[&nested]);
}

#[test]
fn a_name_of_the_kernel_s_is_that_of_the_file_it_leads_to() {
    let project = project("", &["Cargo.lock", ".claude/hookkit/x"]);
    all(
        &project,
        changes,
        &[
            "tee /dev/fd/3 3< Cargo.lock",
            "tee /dev/stdin < Cargo.lock",
            "echo x > /dev//./fd/0 < Cargo.lock",
            "echo x > /dev/../proc/self/fd/3 3< Cargo.lock",
            "echo x > /proc/$$/fd/$n 3< Cargo.lock",
            "exec 3< Cargo.lock; echo x > /dev/fd/3",
            "exec 3< Cargo.lock 4<&3; echo x > /dev/fd/4",
            "exec 3< .; rm /dev/fd/3/.claude/protected",
            "exec 3< /proc/self/cwd/Cargo.lock; echo x > /dev/fd/3",
            "rm /proc/self/cwd/Cargo.lock",
            "rm /proc/$$/task/1/cwd/Cargo.lock",
            "cd .claude && rm /proc/self/cwd/protected",
        ],
    );
    all(
        &project,
        may_change,
        &[
            "cd /proc/self/cwd/.claude && rm hookkit/x",
            "cd /dev/fd/3 3< .claude && rm hookkit/x",
        ],
    );
    all(
        &project,
        Option::is_none,
        &[
            "tee /dev/stderr < Cargo.lock",
            "cat Cargo.lock 3< Cargo.lock > /dev/null",
            "sort < Cargo.lock > /dev/stdout 2> /dev/stderr",
            "cat < Cargo.lock | tee /dev/fd/3 3>&1",
            "echo x > /proc/self/cwd/src/a.rs",
        ],
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_link_below_dev_is_followed() {
    let project = project("", &["Cargo.lock"]);
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(project.path().join("Cargo.lock"), &link).unwrap();
    all(&project, changes, &[&format!("echo x > {}", link.display())]);
}

#[cfg(unix)]
#[test]
fn the_copies_that_a_program_keeps_are_files_that_it_changes() {
    let project = project("", &["Cargo.lock", "README.md", ".claude/hookkit/x"]);
    all(
        &project,
        changes,
        &[
            "sed -i.lock s/a/b/ Cargo",
            "sed -Ei'.claude/hookkit/*' s/a/b/ x",
            "sed --in-place=.lock s/a/b/ Cargo",
            "sed -i'Cargo.*' s/a/b/ src/../lock",
            "perl -i.lock -pe s/a/b/ Cargo",
            "perl -pi'.claude/*' -e s/a/b/ protected",
            "cp -b -S .lock x Cargo",
            "cp -bS .lock Cargo .",
            "mv --suffix=.lock x Cargo",
            "install -b -S .lock x Cargo",
            "ln -sf -S .lock x Cargo",
            "SIMPLE_BACKUP_SUFFIX=.lock cp -b x Cargo",
            "patch -b -z .lock Cargo p",
            "patch --prefix=.claude/hookkit/ -i p",
            "patch -B Cargo. lock p",
            "patch -Y Cargo. ./lock p",
        ],
    );
    all(&project, may_change, &["patch -B Cargo. -i p"]);
    all(
        &project,
        Option::is_none,
        &[
            "sed -i.bak s/a/b/ README.md", "sed -i'backup/*' s/a/b/ README.md", "cp -b -S .bak README.md src/",
            "patch -b -z .orig README.md p", "patch -p1 -b -z .orig -i p",
        ],
    );
}

#[test]
fn options_with_values_and_flags_are_those_of_the_program() {
    let project = project("", &["Cargo.lock", "README.md", ".claude/hookkit/x"]);
    all(
        &project,
        changes,
        &[
            "cp x Cargo.lock --no-preserve mode",
            "cp x Cargo.lock --sparse auto",
            "install x Cargo.lock --strip-program true",
            "install -d -m 0 .claude/hookkit y",
            "cp --parents .claude/protected .",
            "cp --par .claude/protected -t ./src/..",
            "perl -Wpi -e s/a/b/ Cargo.lock",
            "perl -Ti -pe s/a/b/ Cargo.lock",
            "perl -i -pEs/a/b/ Cargo.lock",
            "perl -fpie s/a/b/ Cargo.lock",
            "sed -n 'w Cargo.lock' x",
            "sed 's/a/b/gw Cargo.lock' x",
            "sed -e 1d -e 's/a/b/w Cargo.lock\n2d' x",
            "sed --expression='/x/w .claude/protected' x",
        ],
    );
    all(
        &project,
        Option::is_none,
        &[
            "cp --parents src/a.rs backup", "install --strip x y", "perl -i -pE 's/a/.git/' README.md",
            "sed -Ei 's/.git/b/' README.md", "sed 's/new .git/x/' README.md", "sed 's/a/b/w out.txt' x",
        ],
    );
}

#[test]
fn an_option_leads_to_a_folder_as_cd_does() {
    let project = project("/migrations/\n", &["migrations/1.sql", "Cargo.lock"]);
    all(
        &project,
        changes,
        &[
            "env -C migrations rm 1.sql",
            "env -i --chdir=src/../migrations touch 2.sql",
            "env -C src -C ../migrations rm 1.sql",
            "sudo -D migrations rm 1.sql",
            "sudo --chdir migrations -u root rm 1.sql",
            "patch -d migrations 1.sql /tmp/p",
            "patch --dir=migrations 1.sql /tmp/p",
            "chdir migrations; rm 1.sql",
            "cd migrations; rm ~+/1.sql",
            "cd migrations; cd ..; rm ~-/1.sql",
        ],
    );
    all(
        &project,
        Option::is_none,
        &[
            "env -C src rm 1.sql", "env A=1 make -C migrations; rm 1.sql", "patch -d src -p1 -i p",
        ],
    );
}

#[cfg(unix)]
#[test]
fn find_is_asked_about_where_it_comes_to_a_protected_file_by_its_name() {
    let project = project("", &["Cargo.lock", "a/Cargo.lock", ".git/config", ".claude/hookkit/x"]);
    all(&project, changes, &["find . -name x -fprint Cargo.lock"]);
    all(
        &project,
        may_change,
        &[
            "find . -name Cargo.lock -delete",
            "find . -name config -delete",
            "find .git -name '*.lock' -delete",
            "find .claude/hookkit -type f -exec chmod -x {} \\;",
            "find src .git -type f | xargs rm",
            "find -iname cargo.lock -exec rm {} \\;",
            "find a -path ./a/Cargo.lock -exec sudo sed -i s/a/b/ {} +",
            "find . -name Cargo.lock -exec mv {} /tmp \\;",
            "find . -name Cargo.lock | xargs rm",
        ],
    );
    all(
        &project,
        Option::is_none,
        &[
            "find . -name Cargo.lock -exec cp {} /tmp \\;",
            "find . -name Cargo.lock -exec cat {} \\; > \"$out\"",
            "find . -name '*.tmp' -delete",
            "find . -name .DS_Store -delete",
            "find . -name Cargo -exec rm {} +",
            "find . -name -delete -print",
            "find . -not -name Cargo.lock -exec rm {} +",
            "find . -name Cargo.lock; rm \"$x\"",
        ],
    );
}

#[test]
fn text_that_a_shell_reads_is_asked_about_where_it_names_a_protected_file() {
    let project = project("", &["Cargo.lock"]);
    all(
        &project,
        may_change,
        &[
            "echo rm Cargo.lock | sh",
            "printf 'rm .claude/protected' | sudo bash",
            "cat <<E | sh\nrm Cargo.lock\nE\n",
            "sh <(echo rm Cargo.lock)",
            "env -S '-i rm Cargo.lock'",
            "sudo --unknown rm Cargo.lock",
        ],
    );
    all(
        &project,
        Option::is_none,
        &[
            "curl -sSf https://example.com | sh",
            "cat Cargo.lock; curl https://example.com | sh",
        ],
    );
}

#[test]
fn a_glob_finds_names_with_a_dot_where_the_shell_is_set_so() {
    let project = project("", &["a/.claude/hookkit/x"]);
    all(
        &project,
        Option::is_none,
        &["rm a/*/hookkit/*", "shopt -s nullglob; rm a/*/hookkit/*"],
    );
    all(
        &project,
        may_change,
        &[
            "shopt -s dotglob; rm .cl*/prot*", "shopt -s dotglob; rm */prot*", "GLOBIGNORE=x; rm */prot*",
        ],
    );
    all(&project, Option::is_none, &["rm */prot*", "shopt -s dotglob; rm */new"]);
}

#[test]
fn a_command_of_too_many_long_words_is_denied() {
    let project = project("", &[]);
    let long = "a".repeat(500_000);
    let mut context = Context::default();
    context.cwd = project.path().into();
    let script = hookkit::shell::analyze(&format!("cp {}/{long}", "x ".repeat(1000)));
    let look = look(&script, &context, || {
        Protected::of(&context, hookkit::Environment::default(), &[])
    });
    assert_eq!(
        look.unwrap_err().to_string(),
        "the command has too many long words to be analyzed: split it"
    );
}

#[cfg(windows)]
#[test]
fn a_folder_of_windows_that_is_not_certain_is_an_error() {
    let project = project("/migrations/\n", &["migrations/1.sql", "sub/package-lock.json"]);
    let mut context = Context::default();
    context.cwd = project.path().into();
    context.project_dir = project.path().into();
    let look = |command: &str| {
        let protected = || Protected::of(&context, hookkit::Environment::default(), &[]);
        look(&hookkit::shell::analyze(command), &context, protected)
    };
    for command in [
        "cd /c/code/app/sub && rm package-l*", "cd /c/code/app && touch x", "cd C: && rm x", "touch /tmp/x",
        "touch NUL", "rm //server/share/x", "rm C:/code/app/Cargo.lock.",
    ] {
        assert!(look(command).is_err(), "{command}");
    }
    for command in [
        "rm MIGRATIONS/2.sql", "cd Sub && rm package-l*", "rm 'sub\\PACKAGE-LOCK.json'",
    ] {
        assert!(look(command).unwrap().is_some(), "{command}");
    }
    assert_eq!(look("cd /c/code/app && cargo test > /dev/null").unwrap(), None);
}
