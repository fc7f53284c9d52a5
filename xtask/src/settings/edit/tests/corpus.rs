//! Tests with other people's settings files.

use std::fs;
use std::path::Path;

use super::*;

/// Settings files from other people, if a copy of that collection is available.
#[test]
fn a_collection_of_real_files_is_edited_or_refused_untouched() {
    let folder = Path::new("../../shared/corpus/settings");
    let Ok(files) = fs::read_dir(folder) else {
        eprintln!("skipped: a_collection_of_real_files_is_edited_or_refused_untouched: no {}", folder.display());
        return;
    };
    let (mut accepted, mut dropped) = (0, 0);
    for file in files {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = fs::read_to_string(&path).unwrap();
        match insert(&file, &entries()) {
            Ok(Edited { text, .. }) => {
                undone(&file, &entries());
                let findings = findings(&file).unwrap();
                if findings.iter().all(|found| found.ignored != Ignored::File) {
                    accepted += 1;
                    assert_foreign_values_stay(&file, &text);
                    for found in findings {
                        eprintln!("{name}: reported: {found}");
                    }
                } else {
                    dropped += 1;
                    let found = findings.iter().find(|found| found.ignored == Ignored::File);
                    eprintln!("{name}: only with --force: {}", found.map(ToString::to_string).unwrap_or_default());
                }
            }
            Err(refusal) => eprintln!("{name}: refused: {refusal}"),
        }
    }
    eprintln!("{accepted} accepted, {dropped} only with --force");
    assert!(accepted > 0, "{} has no file that can be edited", folder.display());
}
