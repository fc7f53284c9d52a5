//! The stages of a text, and the positions of its expansions.

use test_support::lines::Section;

use super::lines;
use crate::{Expansion, Layout, Operator, Part, Stage, StageKind, Why, Word};

/// Returns the stages, each with its kind, its depth, its text and the operator after it.
fn shown(text: &str) -> Vec<String> {
    let layout = Layout::parse(text).expect(text);
    let depth = |stage: &Stage| {
        let outer = |within: &Option<usize>| within.map(|index| layout.stages()[index].within);
        std::iter::successors(Some(stage.within), outer).count() - 1
    };
    let line = |stage: &Stage| {
        let operator = match stage.operator {
            None => "",
            Some(Operator::And) => " &&",
            Some(Operator::Or) => " ||",
            Some(Operator::Pipe) => " |",
            Some(Operator::Background) => " &",
            Some(Operator::Next) => " ;",
        };
        let not = if stage.is_negated { "!" } else { "" };
        let kind = stage.kind;
        format!("{}{not}{kind:?} <{}>{operator}", ".".repeat(depth(stage)), &text[stage.span.clone()])
    };
    layout.stages().iter().map(line).collect()
}

#[test]
fn stages_have_their_operators_and_their_constructs() {
    test_support::lines!("lines/layout.txt").check(|_, text| shown(text).join("\t"));
}

#[test]
fn a_stage_has_its_words_or_its_redirections() {
    let layout = Layout::parse("while a; do b c; done < x; `d`").expect("it is known");
    let words = |stage: &Stage| layout.command(stage).map(|command| (command.to_string(), command.redirections.len()));
    let words: Vec<_> = layout.stages().iter().map(words).collect();
    let simple = |text: &str| Some((text.to_owned(), 0));
    let expected = [Some((String::new(), 1)), simple("a"), simple("b c"), simple("…")];
    assert_eq!(words, expected);
}

#[test]
fn a_text_that_is_not_known_to_its_end_has_no_layout() {
    for (text, rest, why) in
        [("a; b 'c", "c", Why::Syntax), ("a && | b", "| b", Why::Syntax), ("a\0b", "\0b", Why::Character)]
    {
        let refused = Layout::parse(text).expect_err(text);
        assert_eq!((refused.text.as_str(), refused.why), (rest, why), "{text:?}");
    }
    let expected = Why::TooLong;
    assert_eq!(Layout::parse(&"a;".repeat(1 << 20)).expect_err("it is too long").why, expected);
}

fn expansions(word: &Word) -> impl Iterator<Item = &Expansion> {
    word.parts.iter().filter_map(|part| match part {
        Part::Literal(_) => None,
        Part::Expansion(expansion) => Some(expansion),
    })
}

#[test]
fn an_expansion_has_its_place() {
    let text = "a x\"${b:-c}\"$(d) >$e `f`$\"g\"\\$h ~/*<(i) \"$((1))\"";
    let layout = Layout::parse(text).expect("it is known");
    let command = layout.command(&layout.stages()[0]).expect("it is simple");
    let words = command.words.iter().chain(command.targets());
    let spans = words.flat_map(expansions).map(|expansion| expansion.span().map(|span| &text[span]));
    let expected =
        [Some("${b:-c}"), Some("$(d)"), Some("`f`"), None, None, None, Some("<(i)"), Some("$((1))"), Some("$e")];
    assert_eq!(spans.collect::<Vec<_>>(), expected);
}

#[test]
fn every_stage_is_within_its_own_and_every_simple_one_has_a_command() {
    let mut count = 0;
    let lines = lines();
    for text in lines.sections.iter().flat_map(Section::lines) {
        let Ok(layout) = Layout::parse(text) else { continue };
        count += layout.stages().len();
        for stage in layout.stages() {
            assert!(text.get(stage.span.clone()).is_some_and(|text| !text.is_empty()), "{text:?}: {stage:?}");
            let outer = stage.within.map_or(0..text.len(), |index| layout.stages()[index].span.clone());
            assert!(outer.start <= stage.span.start && stage.span.end <= outer.end, "{text:?}: {stage:?}");
            let command = layout.command(stage);
            assert!(stage.kind != StageKind::Simple || command.is_some(), "{text:?}: {stage:?}");
            if stage.kind == StageKind::Simple {
                assert_eq!(command.map(|command| &command.span), Some(&stage.span), "{text:?}");
            }
        }
    }
    assert!(count > 300, "{count}");
}
