use std::process::Command as Process;

use super::*;

/// The commands as text, with `?` for what is not known, and the reasons.
fn shown(text: &str) -> (Vec<String>, Vec<Why>) {
    let script = analyse(text);
    let commands = script.commands().iter().map(|command| {
        let words = command.words.iter().map(|word| {
            let parts = word.parts.iter().map(|part| match part {
                Part::Literal(text) => text,
                Part::Expansion(_) => "?",
            });
            parts.collect::<String>()
        });
        words.collect::<Vec<_>>().join(" ")
    });
    let mut reasons: Vec<Why> = script.unanalysed().iter().map(|unanalysed| unanalysed.why).collect();
    reasons.dedup();
    (commands.collect(), reasons)
}

/// Lines that are known to the end, with all that they run.
const KNOWN: &[(&str, &[&str])] = &[
    ("", &[]),
    ("# rm -rf /", &[]),
    ("rm -rf /", &["rm -rf /"]),
    ("r\\m -rf /", &["rm -rf /"]),
    ("\"rm\" -rf /", &["rm -rf /"]),
    ("'r'\"m\" -rf /", &["rm -rf /"]),
    ("\\rm -rf /", &["rm -rf /"]),
    ("$'\\x72m' -rf /", &["rm -rf /"]),
    ("$'\\162\\u006d' /", &["rm /"]),
    ("r\\\nm -rf /", &["rm -rf /"]),
    ("rm \\\n  -rf \\\n  /", &["rm -rf /"]),
    ("/bin/rm x", &["/bin/rm x"]),
    ("git push --force", &["git push --force"]),
    ("git commit -m 'rm -rf /; $(rm)'", &["git commit -m rm -rf /; $(rm)"]),
    ("echo \"rm -rf /\"", &["echo rm -rf /"]),
    ("echo \"a \\$(rm) \\`rm\\`\"", &["echo a $(rm) `rm`"]),
    ("echo a#b # rm", &["echo a#b"]),
    ("echo \\# rm", &["echo # rm"]),
    ("ls; rm x", &["ls", "rm x"]),
    ("ls\nrm x\n", &["ls", "rm x"]),
    ("ls;rm x;", &["ls", "rm x"]),
    ("ls & rm x &", &["ls", "rm x"]),
    ("ls && rm x || echo no", &["ls", "rm x", "echo no"]),
    ("false &&\n rm x", &["false", "rm x"]),
    ("cat x | grep y |& tee z", &["cat x", "grep y", "tee z"]),
    ("(rm x)", &["rm x"]),
    ("{ rm x; }", &["rm x"]),
    ("( (rm x) )", &["rm x"]),
    ("! rm x", &["rm x"]),
    ("time rm x", &["rm x"]),
    ("time -p rm x | cat", &["rm x", "cat"]),
    ("echo $(rm x)", &["echo ?", "rm x"]),
    ("echo \"$(rm x)\"", &["echo ?", "rm x"]),
    ("echo \"$(echo \"$(rm x)\")\"", &["echo ?", "echo ?", "rm x"]),
    ("echo `rm x`", &["echo ?", "rm x"]),
    ("echo `echo \\`rm x\\``", &["echo ?", "echo ?", "rm x"]),
    ("echo ${x:-$(rm x)}", &["echo ?", "rm x"]),
    ("echo \"${x:-$(rm x)}\"", &["echo ?", "rm x"]),
    ("echo ${x%%\"$(rm x)\"}", &["echo ?", "rm x"]),
    ("x=$(rm x)", &["", "rm x"]),
    ("x=(a $(rm x))", &["", "rm x"]),
    ("x=1 y=2 rm x", &["rm x"]),
    ("diff <(rm x) <(ls)", &["diff ? ?", "rm x", "ls"]),
    ("ls > >(rm x)", &["ls", "rm x"]),
    ("ls > $(rm x)", &["ls", "rm x"]),
    ("> x", &[""]),
    (">x rm y 2>&1 <z", &["rm y"]),
    ("rm x &> y", &["rm x"]),
    ("rm 2 > 3", &["rm 2"]),
    ("cat <<< \"$(rm x)\"", &["cat", "rm x"]),
    (
        "if ls; then rm x; elif cat; then true; else false; fi",
        &["ls", "rm x", "cat", "true", "false"],
    ),
    ("while read -r x; do rm x; done < y", &["read -r x", "rm x", ""]),
    ("until false\ndo rm x\ndone", &["false", "rm x"]),
    ("for x in a $(ls); do rm x; done", &["ls", "rm x"]),
    ("for x; do rm x; done", &["rm x"]),
    ("for ((;;)); do rm x; done", &["rm x"]),
    ("select x in a; do rm x; done", &["rm x"]),
    (
        "case $x in a|b) rm x;; (c) ls;& *) cat;;& d) esac",
        &["rm x", "ls", "cat"],
    ),
    ("echo $(case x in a) rm x;; esac)", &["echo ?", "rm x"]),
    ("case $(rm x) in esac", &["rm x"]),
    ("[[ -f x && \"$(rm x)\" =~ ^(a|b)$ ]] || ls", &["rm x", "ls"]),
    ("((1 + 2)) && rm x", &["rm x"]),
    ("echo $((1 + (2 << 3)))", &["echo ?"]),
    ("cat <<EOF\n$(rm x)\nEOF\nls", &["cat", "rm x", "ls"]),
    ("cat <<EOF\n\\$(rm x) 'a\nEOF\nls", &["cat", "ls"]),
    ("cat <<'EOF'\n$(rm x)\nEOF\nls", &["cat", "ls"]),
    ("cat <<-EOF\n\tx\n\tEOF\nrm x", &["cat", "rm x"]),
    ("cat <<A <<B\n1\nA\n2\nB\nrm x", &["cat", "rm x"]),
    ("cat <<A | rm x\n1\nA", &["cat", "rm x"]),
    ("x=$(cat <<A\n)\nA\n)\nrm x", &["", "cat", "rm x"]),
    ("bash <<'EOF'\nrm x\nEOF", &["bash", "rm x"]),
    ("bash <<EOF\nrm \\$x\nEOF", &["bash", "rm ?"]),
    ("bash -s <<< 'rm x'", &["bash -s", "rm x"]),
    ("sh -c 'rm x; ls'", &["sh -c rm x; ls", "rm x", "ls"]),
    ("bash -ec \"rm x\" name arg", &["bash -ec rm x name arg", "rm x"]),
    ("bash -o pipefail -c 'rm x'", &["bash -o pipefail -c rm x", "rm x"]),
    ("sh -c \"sh -c 'rm x'\"", &["sh -c sh -c 'rm x'", "sh -c rm x", "rm x"]),
    ("eval rm x", &["eval rm x", "rm x"]),
    ("eval 'rm' \"x; ls\"", &["eval rm x; ls", "rm x", "ls"]),
    ("trap 'rm x' EXIT", &["trap rm x EXIT", "rm x"]),
    ("trap - INT", &["trap - INT"]),
    ("sudo rm x", &["sudo rm x", "rm x"]),
    ("sudo -u root -E X=1 rm x", &["sudo -u root -E X=1 rm x", "rm x"]),
    ("sudo sh -c 'rm x'", &["sudo sh -c rm x", "sh -c rm x", "rm x"]),
    ("env X=1 rm x", &["env X=1 rm x", "rm x"]),
    ("env -i -u HOME rm x", &["env -i -u HOME rm x", "rm x"]),
    ("env", &["env"]),
    ("nohup rm x &", &["nohup rm x", "rm x"]),
    ("nice -n 5 rm x", &["nice -n 5 rm x", "rm x"]),
    ("nice -5 rm x", &["nice -5 rm x", "rm x"]),
    ("timeout -k 5 10s rm x", &["timeout -k 5 10s rm x", "rm x"]),
    (
        "timeout --signal=KILL 10 rm x",
        &["timeout --signal=KILL 10 rm x", "rm x"],
    ),
    ("/usr/bin/time -o f rm x", &["/usr/bin/time -o f rm x", "rm x"]),
    ("stdbuf -oL rm x", &["stdbuf -oL rm x", "rm x"]),
    ("setsid rm x", &["setsid rm x", "rm x"]),
    ("command rm x", &["command rm x", "rm x"]),
    ("command -v rm", &["command -v rm"]),
    ("builtin eval 'rm x'", &["builtin eval rm x", "eval rm x", "rm x"]),
    ("exec rm x", &["exec rm x", "rm x"]),
    ("exec 2>&1", &["exec"]),
    (
        "sudo env nice rm x",
        &["sudo env nice rm x", "env nice rm x", "nice rm x", "rm x"],
    ),
    ("ls | xargs -0 rm", &["ls", "xargs -0 rm", "rm ?"]),
    ("ls | xargs", &["ls", "xargs"]),
    ("xargs -n 1 -P4 rm -f", &["xargs -n 1 -P4 rm -f", "rm -f ?"]),
    ("xargs -I% rm a%b c", &["xargs -I% rm a%b c", "rm a?b c"]),
    (
        "xargs sh -c 'rm \"$0\"'",
        &["xargs sh -c rm \"$0\"", "sh -c rm \"$0\" ?", "rm ?"],
    ),
    ("find . -delete", &["find . -delete"]),
    (
        "find . -name '*.o' -exec rm {} \\;",
        &["find . -name *.o -exec rm {} ;", "rm ?"],
    ),
    (
        "find . -exec rm {} + -exec ls \\;",
        &["find . -exec rm {} + -exec ls ;", "rm ?", "ls"],
    ),
    (
        "find . -exec sh -c 'rm \"$1\"' _ {} \\;",
        &["find . -exec sh -c rm \"$1\" _ {} ;", "sh -c rm \"$1\" _ ?", "rm ?"],
    ),
    ("find \"$dir\" -name x", &["find ? -name x"]),
    ("test -f x && [ \"$a\" = b ]", &["test -f x", "[ ? = b ]"]),
    ("export X=1", &["export X=1"]),
    ("set -euo pipefail; ls", &["set -euo pipefail", "ls"]),
    ("printf '%s\\n' \"$x\"", &["printf %s\\n ?"]),
    ("echo {}", &["echo {}"]),
    ("git show HEAD@{1}", &["git show HEAD@{1}"]),
    ("git log --format=%H", &["git log --format=%H"]),
    (
        "python -c 'import os; os.remove(\"x\")'",
        &["python -c import os; os.remove(\"x\")"],
    ),
    ("ls *.txt ~/x a?", &["ls ?.txt ?/x a?"]),
    ("rm a\r\nls\r\n", &["rm a\r", "ls\r"]),
    ("rm 'a\u{a0}b'", &["rm a\u{a0}b"]),
    ("echo ü 🦀", &["echo ü 🦀"]),
    (
        "cd x && cargo test 2>&1 | tail -n 5",
        &["cd x", "cargo test", "tail -n 5"],
    ),
];

/// Lines of which something is not known, with what is.
const UNKNOWN: &[(&str, &[&str], Why)] = &[
    ("$x -rf /", &["? -rf /"], Why::Name),
    ("\"$x\" a", &["? a"], Why::Name),
    ("$(echo rm) a", &["? a", "echo rm"], Why::Name),
    ("rm${IFS}-rf", &["rm?-rf"], Why::Name),
    ("r? a", &["r? a"], Why::Name),
    ("{rm,-rf,/}", &["{rm?-rf?/}"], Why::Name),
    ("=rm x", &["?rm x"], Why::Name),
    ("~/x", &["?/x"], Why::Name),
    ("$'\\xff' a", &["? a"], Why::Name),
    ("echo x | sh", &["echo x", "sh"], Why::ScriptInput),
    (
        "curl https://x | sudo bash -s -- a",
        &["curl https://x", "sudo bash -s -- a", "bash -s -- a"],
        Why::ScriptInput,
    ),
    ("bash < x", &["bash"], Why::ScriptInput),
    ("bash <<EOF\n$x\nEOF", &["bash"], Why::ScriptInput),
    ("bash x.sh", &["bash x.sh"], Why::ScriptFile),
    ("bash -l", &["bash -l"], Why::ScriptFile),
    ("bash -c \"$x\"", &["bash -c ?"], Why::ScriptText),
    ("bash -c", &["bash -c"], Why::ScriptText),
    ("bash $x", &["bash ?"], Why::ScriptText),
    ("bash --rcfile x", &["bash --rcfile x"], Why::Prefix),
    ("eval \"$x\"", &["eval ?"], Why::ScriptText),
    ("eval ls $x", &["eval ls ?"], Why::ScriptText),
    ("trap \"$x\" EXIT", &["trap ? EXIT"], Why::ScriptText),
    ("source x", &["source x"], Why::ScriptFile),
    (". ./x", &[". ./x"], Why::ScriptFile),
    ("env -S \"rm -rf\"", &["env -S rm -rf"], Why::Prefix),
    ("env $x rm", &["env ? rm"], Why::Prefix),
    ("env A=$x ls", &["env A=? ls"], Why::Prefix),
    ("sudo -s", &["sudo -s"], Why::Prefix),
    ("sudo -e x", &["sudo -e x"], Why::Prefix),
    ("sudo $x", &["sudo ?"], Why::Prefix),
    ("timeout $x rm", &["timeout ? rm"], Why::Prefix),
    ("xargs $x", &["xargs ?"], Why::Prefix),
    ("xargs -i rm {}", &["xargs -i rm {}"], Why::Prefix),
    ("xargs sh", &["xargs sh", "sh ?"], Why::ScriptText),
    (
        "xargs -I X sh -c 'rm X'",
        &["xargs -I X sh -c rm X", "sh -c rm ?"],
        Why::ScriptText,
    ),
    ("xargs -I X X a", &["xargs -I X X a", "? a"], Why::Name),
    ("find . $x", &["find . ?"], Why::Prefix),
    ("find \"$@\"", &["find ?"], Why::Prefix),
    ("find . \"$x\" rm \\;", &["find . ? rm ;"], Why::Prefix),
    ("find . -exec {} \\;", &["find . -exec {} ;", "?"], Why::Name),
    ("find . -exec rm", &["find . -exec rm", "rm"], Why::Prefix),
    (
        "find . -exec sh -c 'rm {}' \\;",
        &["find . -exec sh -c rm {} ;", "sh -c rm ?"],
        Why::ScriptText,
    ),
    ("parallel rm ::: a", &["parallel rm ::: a"], Why::Runner),
    ("ssh host rm x", &["ssh host rm x"], Why::Runner),
    ("watch rm x", &["watch rm x"], Why::Runner),
    ("su -c 'rm x'", &["su -c rm x"], Why::Runner),
    ("busybox sh -c 'rm x'", &["busybox sh -c rm x"], Why::Runner),
    ("alias ls='rm x'", &["alias ls=rm x"], Why::Runner),
    ("ls() { rm x; }; ls", &["rm x", "ls"], Why::Definition),
    ("function ls { rm x; }", &["rm x"], Why::Definition),
    ("f() (rm x)", &["rm x"], Why::Definition),
    ("set -o history", &["set -o history"], Why::Definition),
    ("PATH=. ls", &["ls"], Why::ShellVariable),
    ("LD_PRELOAD=x ls", &["ls"], Why::ShellVariable),
    ("export PATH=.", &["export PATH=."], Why::ShellVariable),
    ("env BASH_ENV=x ls", &["env BASH_ENV=x ls", "ls"], Why::ShellVariable),
    ("echo ${PATH:=.}", &["echo ?"], Why::ShellVariable),
    ("for PATH in .; do ls; done", &["ls"], Why::ShellVariable),
    ("echo $((x))", &["echo ?"], Why::Arithmetic),
    ("echo $(($(rm x)))", &["echo ?", "rm x"], Why::Arithmetic),
    ("((x[$(rm x)]))", &["rm x"], Why::Arithmetic),
    ("[[ $x -eq 1 ]]", &[], Why::Arithmetic),
    ("[[ -v x ]]", &[], Why::Arithmetic),
    ("test -v 'a[$(rm)]'", &["test -v a[$(rm)]"], Why::Arithmetic),
    ("[ $x = y ]", &["[ ? = y ]"], Why::Arithmetic),
    ("let x=1", &["let x=1"], Why::Arithmetic),
    ("declare -i x=y", &["declare -i x=y"], Why::Arithmetic),
    ("printf -v 'a[$(rm)]' x", &["printf -v a[$(rm)] x"], Why::Arithmetic),
    ("read 'a[$(rm)]'", &["read a[$(rm)]"], Why::Arithmetic),
    ("a[i]=1", &[""], Why::Arithmetic),
    ("echo ${a[i]}", &["echo ?"], Why::Arithmetic),
    ("echo ${a:i:1}", &["echo ?"], Why::Arithmetic),
    ("echo ${!x}", &["echo ?"], Why::Indirection),
    ("echo ${x@P}", &["echo ?"], Why::Indirection),
    ("ls\u{a0}x", &["ls\u{a0}x"], Why::Character),
    ("ls \u{b}x", &["ls \u{b}x"], Why::Character),
    ("ls\0; rm", &[], Why::Character),
    ("rm x; echo 'a", &["rm x", "echo"], Why::Syntax),
    ("rm x; echo \"a", &["rm x", "echo"], Why::Syntax),
    ("rm x; echo $(ls", &["rm x", "echo", "ls"], Why::Syntax),
    ("rm x\n)", &["rm x"], Why::Syntax),
    ("rm x; if ls", &["rm x", "ls"], Why::Syntax),
    ("cat <<EOF\nrm", &["cat"], Why::Syntax),
    ("cat <<EOF\n\\\nEOF\nrm\nEOF\n", &["cat"], Why::Syntax),
    ("cat <<EOF\nEOF\\\n\nrm\nEOF\n", &["cat"], Why::Syntax),
    ("x=$(cat <<EOF\nEOF)\nrm x\nEOF\n)", &["", "cat"], Why::Syntax),
    ("cat <<EOF 'a\nb'\nEOF\n", &["cat"], Why::Syntax),
    ("$\\\n(rm x)", &[""], Why::Syntax),
    ("i\\\nf ls; then rm x; fi", &[""], Why::Syntax),
    ("coproc rm x", &[], Why::Syntax),
    ("echo !(a|b)", &["echo"], Why::Syntax),
    ("ls *(e:'rm x':)", &["ls"], Why::Syntax),
    ("echo $[1+1]", &["echo"], Why::Syntax),
    ("echo ${ rm x; }", &["echo"], Why::Syntax),
    ("((rm x) ; (ls))", &[], Why::Syntax),
    ("sh -c 'rm &>x ls'", &["sh -c rm &>x ls", "rm"], Why::Syntax),
    ("sh -c '[[ a && rm ]]'", &["sh -c [[ a && rm ]]"], Why::Syntax),
    (
        "sh -c \"echo \\$'\\\\'; rm x #'\"",
        &["sh -c echo $'\\'; rm x #'", "echo"],
        Why::Syntax,
    ),
    ("{fd}>x rm", &[""], Why::Syntax),
    ("[[ a < (b) && -f <(rm x) ]]", &[], Why::Syntax),
];

#[test]
fn every_command_of_a_line_is_listed_and_nothing_else_runs() {
    for (text, commands) in KNOWN {
        let (shown, reasons) = shown(text);
        let mut shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        let mut expected = commands.to_vec();
        shown.sort_unstable();
        expected.sort_unstable();
        assert_eq!((shown, reasons), (expected, Vec::new()), "{text:?}");
    }
}

#[test]
fn what_cannot_be_analysed_is_said_and_what_is_known_beside_it_is_listed() {
    for (text, commands, why) in UNKNOWN {
        let (shown, reasons) = shown(text);
        let missing: Vec<_> = commands
            .iter()
            .filter(|command| !shown.iter().any(|shown| shown == *command))
            .collect();
        assert!(
            missing.is_empty() && reasons.contains(why),
            "{text:?}: {shown:?} {reasons:?}"
        );
        assert!(analyse(text).all_commands().is_err());
    }
}

#[test]
fn every_span_is_within_the_text() {
    let lines = KNOWN
        .iter()
        .map(|(text, _)| *text)
        .chain(UNKNOWN.iter().map(|(text, _, _)| *text));
    for text in lines {
        let script = analyse(text);
        for command in script.commands() {
            assert!(text.get(command.span.clone()).is_some(), "{text:?}: {command:?}");
            for word in &command.words {
                assert!(text.get(word.span.clone()).is_some(), "{text:?}: {word:?}");
            }
        }
        for unanalysed in script.unanalysed() {
            assert!(text.get(unanalysed.span.clone()).is_some(), "{text:?}: {unanalysed:?}");
        }
    }
}

#[test]
fn a_command_tells_what_it_stands_in() {
    let script = analyse("ls | ( sudo rm \"$(cat x)\" )");
    let via = |program: &str| {
        let found = script
            .commands()
            .iter()
            .find(|command| command.program() == Some(program));
        found.map(|command| command.via.clone()).unwrap_or_default()
    };
    let sudo = Via::Prefix("sudo".to_owned());
    assert_eq!(via("ls"), [Via::Pipeline]);
    assert_eq!(via("sudo"), [Via::Pipeline, Via::Subshell]);
    assert_eq!(via("rm"), [Via::Pipeline, Via::Subshell, sudo]);
    assert_eq!(via("cat"), [Via::Pipeline, Via::Subshell, Via::CommandSubstitution]);
}

#[test]
fn redirections_and_assignments_are_told_with_their_words() {
    let script = analyse("A=1 B=\"$x\" ls 2>>log <<'E'\ntext\nE");
    let command = &script.commands()[0];
    let names: Vec<_> = command
        .assignments
        .iter()
        .map(|assignment| assignment.name.as_str())
        .collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(command.assignments[0].value.literal(), Some("1"));
    assert_eq!(command.assignments[1].value.literal(), None);
    let told: Vec<_> = (command.redirections.iter())
        .map(|redirection| {
            (
                redirection.descriptor,
                redirection.operator,
                redirection.target.literal(),
            )
        })
        .collect();
    let expected = [
        (Some(2), RedirectionOperator::Append, Some("log")),
        (None, RedirectionOperator::HereDocument, Some("text\n")),
    ];
    assert_eq!(told, expected);
}

/// Bash is given the words as arguments of `set`, and runs nothing.
#[test]
fn words_without_expansions_are_those_of_bash() {
    let words = [
        "rm",
        "r\\m",
        "\"a b\"",
        "'a\\b'",
        "\"a\\b\\\"\\$\"",
        "a\\ b",
        "\\\\",
        "$'\\x72m'",
        "$'a\\'b\\n\\t\\e'",
        "''",
        "\"\"",
        "a''b",
        "'a'\"b\"c",
        "a#b",
        "\\#",
        "a=b",
        "-x",
        "{}",
        "{a}",
        "}",
        "HEAD@{1}",
        "a\\\nb",
        "\"a\\\nb\"",
        "'a\nb'",
        "ü",
        "a\rb",
        "!",
        "^x",
        "%s",
        "a:b",
        "$",
        "a$",
        "\"$\"",
        "$'\\061'",
        "1",
        "@",
        "a+=b",
        "]",
        "\"'\"",
        "'\"'",
        "\"\\`\"",
        "$'\\\\'",
    ];
    let mut random = fastrand::Rng::with_seed(7);
    let lines = (0..40).map(|_| {
        let chosen: Vec<&str> = (0..12).map(|_| words[random.usize(..words.len())]).collect();
        chosen.join(if random.bool() { " " } else { " \\\n\t" })
    });
    for line in lines.chain([words.join(" ")]) {
        let text = format!("set -- {line}");
        let script = analyse(&text);
        assert_eq!(script.unanalysed(), [], "{text:?}");
        let ours: Vec<_> = script.commands()[0].words[2..]
            .iter()
            .map(|word| word.literal().expect("literal"))
            .collect();
        let program = format!("{text}\nprintf '%s\\0' \"$@\"");
        let Ok(output) = Process::new("bash")
            .args(["--norc", "--noprofile", "-c", &program])
            .output()
        else {
            eprintln!("skipped: there is no bash");
            return;
        };
        let theirs = String::from_utf8(output.stdout).expect("UTF-8");
        let theirs: Vec<&str> = theirs.split_terminator('\0').collect();
        assert_eq!(ours, theirs, "{text:?}");
    }
}

#[test]
fn what_is_read_to_its_end_is_no_mistake_to_bash() {
    for (text, _) in KNOWN {
        let Ok(output) = Process::new("bash")
            .args(["--norc", "--noprofile", "-n", "-c", text])
            .output()
        else {
            eprintln!("skipped: there is no bash");
            return;
        };
        assert!(
            output.status.success(),
            "{text:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A script with numbered commands in it, all of which could run.
fn composed(random: &mut fastrand::Rng, depth: usize, count: &mut usize) -> String {
    if depth == 0 {
        *count += 1;
        return format!("cmd{count}");
    }
    let mut part = || composed(random, depth - 1, count);
    let (a, b) = (part(), part());
    match random.usize(..20) {
        0 => format!("{a} | {{ {b}\n}}"),
        1 => format!("{a}\n{b}"),
        2 => format!("( {a} )\n{b}"),
        3 => format!("{{ {a}\n}} && ( {b} )"),
        4 => format!("if {a}\nthen {b}\nfi"),
        5 => format!("while {a}\ndo {b}\ndone"),
        6 => format!("for x in \"$( {a}\n)\" 'y'\ndo {b}\ndone"),
        7 => format!("case $( {a}\n) in x|'y)') {b}\n;; esac"),
        8 => format!("echo \"a $( {a}\n) b\" ')'\n{b}"),
        9 => format!("x=$( {a}\n) y=\"$( {b}\n)\""),
        10 => format!("cat <( {a}\n) > >( {b}\n)"),
        11 => format!("echo ${{x:-\"$( {a}\n)\"}}\n{b}"),
        12 => format!("x=( $( {a}\n) ')' )\n{b}"),
        13 => format!("[[ a == \"$( {a}\n)\" && b ]] || ( {b}\n)"),
        14 => format!("f() {{ {a}\n}}\n{b}"),
        15 => format!("( {a}\n) > \"$( {b}\n)\""),
        16 => format!("bash -c '{}'\n{b}", a.replace('\'', "'\\''")),
        17 => format!("sudo env bash -c '{}' | ( {b}\n)", a.replace('\'', "'\\''")),
        18 => format!("cat <<E{depth}_{count}\n)$( {a}\n)'\"\nE{depth}_{count}\n{b}"),
        _ => format!("! {{ {a}\n}} # ' \" $(\n{b}"),
    }
}

#[test]
fn every_command_that_was_put_into_a_script_is_listed() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut read = 0;
    for round in 0..2000 {
        let mut count = 0;
        let text = composed(&mut random, 1 + round % 4, &mut count);
        let script = analyse(&text);
        // Here-documents in what is quoted are refused.
        if script
            .unanalysed()
            .iter()
            .any(|unanalysed| unanalysed.why != Why::Definition)
        {
            assert!(text.contains("<<"), "{text}\n{:?}", script.unanalysed());
            continue;
        }
        read += 1;
        let names: Vec<_> = script.commands().iter().filter_map(Command::name).collect();
        for number in 1..=count {
            assert!(
                names.contains(&format!("cmd{number}").as_str()),
                "cmd{number} of\n{text}"
            );
        }
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn what_nests_too_deep_cannot_be_analysed_and_ends_no_process() {
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("{ ", ";}"),
        ("if ", ""),
        ("\"$(", ")\""),
        ("${x:-", "}"),
        ("! ", ""),
        ("$((", "))"),
        ("x=(", ""),
    ] {
        let text = format!("echo; {}{}{}", open.repeat(20_000), "a", close.repeat(20_000));
        assert!(analyse(&text).all_commands().is_err(), "{open}");
    }
    let mut text = "rm x".to_owned();
    for _ in 0..12 {
        text = format!("eval '{}'", text.replace('\'', "'\\''"));
        if text.len() > 100_000 {
            break;
        }
    }
    assert!(
        analyse(&text)
            .commands()
            .iter()
            .any(|command| command.program() == Some("rm"))
    );
    assert!(analyse(&"nice ".repeat(1000)).all_commands().is_err());
    assert!(analyse(&"a".repeat(LONGEST + 1)).all_commands().is_err());
}

#[test]
fn a_long_text_is_read_or_refused_whatever_it_is_made_of() {
    for piece in [
        "echo aaaa bbbb;",
        "a;",
        "a ",
        "$(a) ",
        "`a` ",
        "\"$x\"",
        "sudo ",
        "a<<E\nE\n",
        "${x[",
        "a[",
        "x=(",
        "eval ",
        "[[ a ]] || a;",
        "'a'",
        "{a,",
        "a|",
    ] {
        let text = piece.repeat(LONGEST / 4 / piece.len());
        let script = analyse(&text);
        assert!(
            !script.commands().is_empty() || !script.unanalysed().is_empty(),
            "{piece:?}"
        );
    }
}

/// Texts of pieces that mean something to a shell, in any order.
#[test]
fn a_text_of_whatever_pieces_ends_no_process_and_loses_no_place() {
    let pieces = [
        "a",
        " ",
        "\n",
        "'",
        "\"",
        "\\",
        "$",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "`",
        "<",
        ">",
        "&",
        "|",
        ";",
        "#",
        "=",
        "~",
        "*",
        "!",
        ",",
        "..",
        "<<E",
        "E\n",
        "<<-'E'",
        "$((",
        "))",
        "${x",
        "case ",
        " in ",
        "esac",
        "if ",
        "then ",
        "fi",
        "for ",
        "do ",
        "done",
        "eval ",
        "sh -c ",
        "xargs ",
        "find . -exec ",
        "{} \\;",
        "sudo ",
        "env ",
        "x=",
        "[[ ",
        " ]]",
        "é",
        "\u{a0}",
        "\0",
        "\r",
        "1",
        "function ",
        "<(",
        "$'",
        "trap ",
        "-I",
        "declare ",
        "=(",
    ];
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..20_000 {
        let text: String = (0..random.usize(..24))
            .map(|_| pieces[random.usize(..pieces.len())])
            .collect();
        let script = analyse(&text);
        let spans = script.commands().iter().map(|command| &command.span);
        for span in spans.chain(script.unanalysed().iter().map(|unanalysed| &unanalysed.span)) {
            assert!(text.get(span.clone()).is_some(), "{text:?}");
        }
    }
}
