use std::process::{Command as Process, Output};

use super::*;
use crate::soak;

#[cfg(feature = "layout")]
mod layout;

use test_support::lines::{Lines, Section};

fn lines() -> Lines<'static> {
    test_support::lines!("lines/commands.txt")
}

/// Returns the reasons why there may be more commands, or `all`, and the commands as text, with `?` for each expansion.
fn shown(text: &str) -> String {
    let script = analyze(text);
    let mut reasons: Vec<_> = script.unanalyzed().iter().map(|part| format!("{:?}", part.why)).collect();
    reasons.dedup();
    assert_eq!(script.all_commands().is_err(), !reasons.is_empty());
    let reasons = if reasons.is_empty() { "all".into() } else { reasons.join(" ") };
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
    std::iter::once(reasons).chain(commands).collect::<Vec<_>>().join("\t")
}

#[test]
fn every_command_of_a_line_is_listed_and_where_there_may_be_more_the_reason() {
    lines().check(|_, line| shown(line));
}

#[test]
fn an_expansion_has_its_kind() {
    test_support::lines!("lines/expansions.txt").check(|_, word| {
        let script = analyze(word);
        let parts = script.commands()[0].words[0].parts.iter();
        let kinds = parts.filter_map(|part| match part {
            Part::Expansion(expansion) => Some(format!("{:?}", expansion.kind)),
            Part::Literal(_) => None,
        });
        kinds.collect::<Vec<_>>().join(" ")
    });
}

#[test]
fn behind_an_option_that_is_not_known_nothing_is_analyzed() {
    let script = analyze("ls; sudo -n --new rm x");
    assert_eq!(script.unanalyzed()[0].text, "--new rm x");
    assert_eq!(analyze("env -S '-i rm x' y").unanalyzed()[0].text, "-S '-i rm x' y");
}

#[test]
fn a_word_is_replaced_where_the_line_stays_the_same_but_for_it() {
    test_support::lines!("lines/replaced.txt").check(|section, text| {
        let script = analyze(text);
        let rules = [section.name].map(|rule| if rule == "without rules" { "-" } else { rule });
        let name = script.commands().iter().find(|command| command.is_named("npm"));
        let replaced = name.and_then(|command| replaced(text, &command.words[0], "pnpm", &rules));
        replaced.unwrap_or_else(|| "none".into())
    });
    let script = analyze("npm i");
    for with in ["a b", "$x", "", "a;b", "a'"] {
        assert_eq!(replaced("npm i", &script.commands()[0].words[0], with, &["-"]), None, "{with}");
    }
    let word = &script.commands()[0].words[0];
    let by_words = |with: &[&str]| replaced_by_words("npm i", word, with, &["-"]);
    assert_eq!(by_words(&["just", "x"]).as_deref(), Some("just x i"));
    for with in [["a", "b c"], ["sudo", "x"], ["a", "$x"]] {
        assert_eq!(by_words(&with), None, "{with:?}");
    }
}

#[test]
fn every_span_is_within_the_text() {
    let lines = lines();
    for text in lines.sections.iter().flat_map(Section::lines) {
        let script = analyze(text);
        for command in script.commands() {
            assert!(text.get(command.span.clone()).is_some(), "{text:?}: {command:?}");
            for word in &command.words {
                assert!(text.get(word.span.clone()).is_some(), "{text:?}: {word:?}");
            }
        }
        for unanalyzed in script.unanalyzed() {
            assert!(text.get(unanalyzed.span.clone()).is_some(), "{text:?}: {unanalyzed:?}");
        }
    }
}

#[test]
fn a_command_has_the_constructs_around_it() {
    let script = analyze("ls | ( sudo rm \"$(cat x)\" )");
    let via = |program: &str| {
        let found = script.commands().iter().find(|command| command.program() == Some(program));
        found.map(|command| command.via.clone()).unwrap_or_default()
    };
    let sudo = Via::Prefix("sudo".to_owned());
    assert_eq!(via("ls"), [Via::Pipeline]);
    assert_eq!(via("sudo"), [Via::Pipeline, Via::Subshell]);
    assert_eq!(via("rm"), [Via::Pipeline, Via::Subshell, sudo]);
    assert_eq!(via("cat"), [Via::Pipeline, Via::Subshell, Via::CommandSubstitution]);
    for text in ["while ls; do rm; done", "until ls; do rm; done", "for x; do rm; done", "select x in a; do rm; done"] {
        let script = analyze(text);
        let rm = script.commands().iter().find(|command| command.is("rm"));
        assert_eq!(rm.map(|rm| rm.via.as_slice()), Some([Via::Loop].as_slice()), "{text}");
    }
}

#[test]
fn redirections_and_assignments_are_reported_with_their_words() {
    let script = analyze("A=1 B=\"$x\" ls 2>>log <<'E'\ntext\nE");
    let command = &script.commands()[0];
    let names: Vec<_> = command.assignments.iter().map(|assignment| assignment.name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(command.assignments[0].value.literal(), Some("1"));
    assert_eq!(command.assignments[1].value.literal(), None);
    let message: Vec<_> = (command.redirections.iter())
        .map(|redirection| (redirection.descriptor, redirection.operator, redirection.target.literal()))
        .collect();
    let expected = [
        (Some(2), RedirectionOperator::Append, Some("log")),
        (None, RedirectionOperator::HereDocument, Some("text\n")),
    ];
    assert_eq!(message, expected);
}

/// Runs bash, if it is installed, without the user's configuration.
fn bash(arguments: &[&str]) -> Option<Output> {
    let mut bash = Process::new("bash");
    let output = bash.args(["--norc", "--noprofile"]).args(arguments).output();
    if output.is_err() {
        eprintln!("skipped: there is no bash");
    }
    output.ok()
}

/// Compares with bash, which only gets the words as arguments of `set`.
#[test]
fn words_without_expansions_are_those_of_bash() {
    let words = [
        "rm", "r\\m", "\"a b\"", "'a\\b'", "\"a\\b\\\"\\$\"", "a\\ b", "\\\\", "$'\\x72m'", "$'a\\'b\\n\\t\\e'", "''",
        "\"\"", "a''b", "'a'\"b\"c", "a#b", "\\#", "a=b", "-x", "{}", "{a}", "HEAD@{1}", "a\\\nb", "\"a\\\nb\"",
        "'a\nb'", "ü", "a\rb", "!", "^x", "%s", "a:b", "$", "a$", "\"$\"", "$'\\061'", "1", "@", "a+=b", "]", "\"'\"",
        "'\"'", "\"\\`\"", "$'\\\\'",
    ];
    let mut random = fastrand::Rng::with_seed(7);
    let lines = (0..40).map(|_| {
        let chosen: Vec<&str> = (0..12).map(|_| words[random.usize(..words.len())]).collect();
        chosen.join(if random.bool() { " " } else { " \\\n\t" })
    });
    for line in lines.chain([words.join(" ")]) {
        let text = format!("set -- {line}");
        let script = analyze(&text);
        assert_eq!(script.unanalyzed(), [], "{text:?}");
        let ours: Vec<_> =
            script.commands()[0].words[2..].iter().map(|word| word.literal().expect("literal")).collect();
        let program = format!("{text}\nprintf '%s\\0' \"$@\"");
        let Some(output) = bash(&["-c", &program]) else {
            return;
        };
        let theirs = String::from_utf8(output.stdout).expect("UTF-8");
        let theirs: Vec<&str> = theirs.split_terminator('\0').collect();
        assert_eq!(ours, theirs, "{text:?}");
    }
}

#[test]
fn what_is_read_to_its_end_is_not_a_mistake_to_bash() {
    for text in lines().section("lines that are known to the end").lines() {
        let Some(output) = bash(&["-n", "-c", text]) else {
            return;
        };
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{text:?}: {stderr}");
    }
}

/// Returns a script with numbered commands, all of which could run.
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
    for round in soak::rounds(200, 2_000) {
        let mut count = 0;
        let text = composed(&mut random, 1 + round as usize % 4, &mut count);
        let script = analyze(&text);
        // Here-documents within quotes are refused.
        if script.unanalyzed().iter().any(|unanalyzed| unanalyzed.why != Why::Definition) {
            assert!(text.contains("<<"), "{text}\n{:?}", script.unanalyzed());
            continue;
        }
        read += 1;
        let names: Vec<_> = script.commands().iter().filter_map(Command::name).collect();
        for number in 1..=count {
            let expected = format!("cmd{number}");
            assert!(names.contains(&&*expected), "{expected} of\n{text}");
        }
    }
    assert!(read > soak::size(100, 1_000), "{read}");
}

#[test]
fn what_nests_too_deep_cannot_be_analyzed_and_ends_no_process() {
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
        assert!(analyze(&text).all_commands().is_err(), "{open}");
    }
    let mut text = "rm x".to_owned();
    for _ in 0..12 {
        text = format!("eval '{}'", text.replace('\'', "'\\''"));
        if text.len() > 100_000 {
            break;
        }
    }
    assert!(analyze(&text).commands().iter().any(|command| command.is("rm")));
    assert!(analyze(&"nice ".repeat(1000)).all_commands().is_err());
    assert!(analyze(&"a".repeat(LONGEST + 1)).all_commands().is_err());
}

#[test]
fn a_long_text_is_read_or_refused_whatever_it_is_made_of() {
    for piece in [
        "echo aaaa bbbb;", "a;", "a ", "$(a) ", "`a` ", "\"$x\"", "sudo ", "a<<E\nE\n", "${x[", "a[", "x=(", "eval ",
        "[[ a ]] || a;", "'a'", "{a,", "a|",
    ] {
        let text = piece.repeat(soak::size(LONGEST / 256, LONGEST / 4) / piece.len());
        let script = analyze(&text);
        assert!(!script.commands().is_empty() || !script.unanalyzed().is_empty(), "{piece:?}");
    }
}

#[test]
fn a_long_text_that_many_commands_get_is_not_copied_for_each() {
    let long = "x".repeat(50_000);
    let many = |piece: &str| piece.repeat(2_000);
    for text in [
        format!("echo {long} {}", many("| cat ")),
        format!("find . {} <<E\n{long}\nE\n", many("-exec a ';' ")),
        format!("echo {long} | bfs . {}", many("-exec a ';' ")),
        format!("find . {} # {long}", many("-exec a $x $y ';' ")),
        format!("echo {} | xargs -n 1 rm {long}", many("a ")),
        format!("echo {long} | xargs -I{{}} rm {}", many("{}")),
        format!("parallel rm {} ::: {long}", many("{}")),
        many("echo aaa >> f; sh f;"),
        format!("echo {}", many("$(echo a) ")),
    ] {
        let script = analyze(&text);
        let commands = script.commands().iter().flat_map(|command| {
            let targets = command.targets();
            command.words.iter().chain(targets).chain(command.piped.as_deref())
        });
        let unanalyzed = script.unanalyzed().iter().map(|part| part.text.len());
        let bytes: usize = commands.map(|word| word.to_string().len()).chain(unanalyzed).sum();
        assert!((1..16 << 20).contains(&bytes), "{}…: {bytes}", &text[..40]);
    }
}

/// Texts of random pieces that mean something to a shell.
#[test]
fn a_text_of_whatever_pieces_ends_no_process_and_loses_no_place() {
    let pieces = [
        "a", " ", "\n", "'", "\"", "\\", "$", "(", ")", "{", "}", "[", "]", "`", "<", ">", "&", "|", ";", "#", "=",
        "~", "*", "!", ",", "..", "<<E", "E\n", "<<-'E'", "$((", "))", "${x", "case ", " in ", "esac", "if ", "then ",
        "fi", "for ", "do ", "done", "eval ", "sh -c ", "xargs ", "find . -exec ", "{} \\;", "sudo ", "env ", "x=",
        "[[ ", " ]]", "é", "\u{a0}", "\0", "\r", "1", "function ", "<(", "$'", "trap ", "-I", "declare ", "=(",
    ];
    let mut random = fastrand::Rng::with_seed(3);
    for _ in soak::rounds(2_000, 20_000) {
        let text: String = (0..random.usize(..24)).map(|_| pieces[random.usize(..pieces.len())]).collect();
        let script = analyze(&text);
        let spans = script.commands().iter().map(|command| &command.span);
        for span in spans.chain(script.unanalyzed().iter().map(|unanalyzed| &unanalyzed.span)) {
            assert!(text.get(span.clone()).is_some(), "{text:?}");
        }
    }
}

#[test]
fn a_text_has_its_comments() {
    test_support::lines!("lines/comments.txt").check(|_, text| {
        let script = analyze(text);
        let number = script.comments().len().to_string();
        let comments = script.comments().iter().map(|range| text[range.clone()].to_owned());
        std::iter::once(number).chain(comments).collect::<Vec<_>>().join("\t")
    });
}

#[test]
fn a_variable_has_its_text_also_in_the_script_of_another_shell() {
    let variables = |line: &str| {
        let script = analyze(line);
        let words = script.commands().iter().flat_map(|command| &command.words);
        let parts = words.flat_map(|word| &word.parts);
        let found = parts.filter_map(|part| match part {
            Part::Expansion(expansion) => expansion.variable.as_deref().map(str::to_owned),
            Part::Literal(_) => None,
        });
        found.collect::<Vec<String>>()
    };
    assert_eq!(variables("a $x \"${y:-z}\" ${a[@]} \"$@\" $1 $? $HOME $(b)"), ["x", "y:-z", "a[@]", "@", "1"]);
    assert_eq!(variables("sh -c \"a $x\""), ["x", "x"]);
    // The arguments of the script differ from those around it.
    assert_eq!(variables("sh -c \"a $1\""), ["1"]);
}
