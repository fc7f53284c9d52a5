use super::*;
use crate::soak;
use crate::testing::context;

/// This took minutes when each secret was searched for in the whole file.
#[test]
fn thousands_that_are_there_already_may_stay_and_of_new_ones_not_all_are_counted() {
    // In pieces, because scanners of repositories would find it.
    let start = ["ghp_", "q7Zk3XvW9bRm2TfYd8LhPc5NsGj4Bw"].concat();
    let tokens = |from: usize, to: usize| -> String { (from..to).map(|n| format!("{start}{n:06}\n")).collect() };
    let project = test_support::folder();
    let count = soak::size(5_000, 30_000);
    let known = tokens(0, count);
    fs::write(project.path().join("a"), &known).unwrap();
    let passes = |content: &str| {
        let mut write = tool::Write::default();
        write.file_path = "a".into();
        content.clone_into(&mut write.content);
        let call = PreToolUse::new("", Change::Text(write.into()));
        deny_secrets(call, context(project.path())).is_none()
    };
    assert!(passes(&known));
    assert!(!passes(&(known + &tokens(count, count + 1))));
    let new = complaint(&new_ones(secrets(&tokens(count, 2 * count)), ["", &tokens(0, count)])).unwrap();
    assert!(new.ends_with("; and many more"), "{new}");
}
